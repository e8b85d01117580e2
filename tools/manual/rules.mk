# SPDX-License-Identifier: GPL-2.0
# The manual pages and the completion of $(TOOL), and their place: for the Makefile of a program,
# which has flags.mk, and in MANUAL_TABLES the files with a table of options.

# Of these files only the table is in the program: TLOB_MANUAL leaves out the functions that read
# values, and -O1 what only they need.
MANUAL		:= $(OBJDIR)/tlob-manual
MANUAL_DATE	:= November 21, 2026
MANUAL_SRC	:= $(wildcard ../manual/*.c) $(MANUAL_TABLES)
TOOL_ID		:= $(subst -,_,$(TOOL))

$(MANUAL): $(MANUAL_SRC) ../manual/format.h $(wildcard $(patsubst -I%,%/*/*.h,$(MANUAL_INCLUDES))) ../manual/rules.mk Makefile
	@mkdir -p $(@D)
	$(HOSTCC) -std=gnu11 -Wall -Wextra -Wno-unused -O1 -DTLOB_MANUAL -D_GNU_SOURCE $(MANUAL_INCLUDES) -I../manual \
		-DTOOL='"$(TOOL)"' -DTOOL_ID='"$(TOOL_ID)"' \
		-I../../include/uapi -I../../kernel/trace/tlob/split -o $@ $(MANUAL_SRC)

$(OBJDIR)/doc/done: $(MANUAL) $(wildcard ../manual/complete.*sh)
	@mkdir -p $(@D)/man1
	for page in $$($(MANUAL) list); do \
		$(MANUAL) man $$page "$(MANUAL_DATE)" > $(@D)/man1/$$page.1 || exit 1; done
	for sh in bash zsh fish; do \
		{ $(MANUAL) $$sh && sed 's/tlob_load/$(TOOL_ID)/g; s/tlob-load/$(TOOL)/g' ../manual/complete.$$sh; } \
			> $(@D)/complete.$$sh || exit 1; done
	touch $@

SHARE	:= $(PREFIX)/share
BASH_COMPLETION := $(SHARE)/bash-completion/completions/$(TOOL)
ZSH_COMPLETION := $(SHARE)/zsh/site-functions/_$(TOOL)
FISH_COMPLETION := $(SHARE)/fish/vendor_completions.d/$(TOOL).fish

install-tool: $(OUT) $(OBJDIR)/doc/done
	install -D -m 755 $(OUT) "$(DESTDIR)$(PREFIX)/bin/$(TOOL)"
	install -d "$(DESTDIR)$(MANDIR)/man1"
	install -m 644 $(OBJDIR)/doc/man1/*.1 "$(DESTDIR)$(MANDIR)/man1/"
	install -D -m 644 $(OBJDIR)/doc/complete.bash "$(DESTDIR)$(BASH_COMPLETION)"
	install -D -m 644 $(OBJDIR)/doc/complete.zsh "$(DESTDIR)$(ZSH_COMPLETION)"
	install -D -m 644 $(OBJDIR)/doc/complete.fish "$(DESTDIR)$(FISH_COMPLETION)"

uninstall-tool:
	rm -f "$(DESTDIR)$(PREFIX)/bin/$(TOOL)" \
		"$(DESTDIR)$(MANDIR)/man1/$(TOOL).1" "$(DESTDIR)$(MANDIR)/man1/$(TOOL)-"*.1 \
		"$(DESTDIR)$(BASH_COMPLETION)" "$(DESTDIR)$(ZSH_COMPLETION)" "$(DESTDIR)$(FISH_COMPLETION)"

.PHONY: install-tool uninstall-tool
