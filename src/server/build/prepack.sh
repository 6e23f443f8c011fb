#!/usr/bin/env bash
# Makes what the npm package has beside the sources: types, the client and the kit as JavaScript, the commit, the licences.
set -eu
tsc -p src/server/build/tsconfig.types.json
tsc -p src/sdk
bun src/server/build/testing.ts
bun src/server/build/commit-file.ts
bun src/server/build/notices.ts
