// SPDX-License-Identifier: GPL-2.0
// check.mjs FILE: checks a manifest by the schema of its API version, and prints its pod as JSON. It runs
// in the folder of node_modules.
import { readFileSync } from "fs";
import { parse } from "yaml";

const manifest = parse(readFileSync(process.argv[2], "utf8"));
const kinds = await import("kubernetes-models/" + manifest.apiVersion);

try {
	new kinds[manifest.kind](manifest).validate();
	console.log(JSON.stringify({
		apiVersion: "v1",
		kind: "Pod",
		metadata: { name: manifest.metadata.name },
		spec: manifest.spec.template.spec,
	}));
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
