#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The plugin of `tlob-lab explain` with each version of QEMU's plugin API: it announces a version
# that QEMU takes, counts the same instructions with all of them, and refuses what it does not
# know. It is also compiled behind the prototypes that each version publishes, where another
# prototype, layout or enumerator is an error.
set -eu

cd "$(dirname "$0")"
# make takes no folder whose name has blanks
work=$(mktemp -d /tmp/tlob-unit.XXXXXX)
trap 'rm -rf "$work"' EXIT
make -s -C ../../tools/tlob-lab plugin PLUGIN="$work/plugin.so"
printf '%s\n' 'arm 1000' 'fire 2000' 'begin 3000' 'end 4000' 'windows 1' 'wake 5' > "$work/marks"
cat > "$work/wanted" <<'END'
tlob-plugin 1
segment 2000 3 2 t
segment 3000 3 2 t
segment 4000 3 2 t
path 0 t1 1 t2 2 t3
window 0 4 2 0 0 idle
end 1
END

# as_published API FILE
as_published() {
	cc -std=gnu11 -Wall -Wextra -Wno-address -Werror -fsyntax-only -DAPI="$1" -include plugin_published.h \
		-include ../../tools/tlob-lab/plugin/qemu_api.h -I../../tools/tlob-lab/plugin -x c - <<-END
		#if API < 3
		#define BYTES qemu_insn_data_pointer
		#else
		#define BYTES qemu_insn_data_copy
		#endif
		_Static_assert(__builtin_types_compatible_p(__typeof__(qemu_plugin_insn_data), __typeof__(BYTES)), "insn_data");
		#include "$2"
	END
}

announced=
for api in 1 2 3 4 5 6; do
	as_published $api plugin.c
	cc -std=gnu11 -Wall -Wextra -Werror -DAPI=$api -rdynamic -o "$work/qemu" plugin_qemu.c -ldl
	"$work/qemu" "$work/plugin.so" "$work/marks" "$work/out" > "$work/said" ||
		{ echo "API $api:"; cat "$work/said"; exit 1; }
	cmp "$work/wanted" "$work/out" || { echo "API $api:"; cat "$work/out"; exit 1; }
	announced="$announced $(sed 's/announced //' "$work/said")"
done
[ "$announced" = ' 1 2 2 4 5 6' ] || { echo "announced$announced"; exit 1; }
cc -std=gnu11 -Wall -Wextra -Werror -DAPI=7 -rdynamic -o "$work/qemu" plugin_qemu.c -ldl
if "$work/qemu" "$work/plugin.so" "$work/marks" "$work/out" > "$work/said" 2>&1; then
	echo "API 7 is not refused"
	exit 1
fi
grep -q 'has version 7 of the plugin API' "$work/said"
echo "plugin API: versions 1 to 6, 7 is refused: ok"
