#!/usr/bin/env bash
# Makes what the npm package has beside the sources: types, the client's own package, the commit, the licences.
set -eu
tsc -p src/server/build/tsconfig.types.json
tsc -p src/server/build/tsconfig.sdk.json
bun src/server/build/sdk-package.ts
bun src/server/build/commit-file.ts
bun src/server/build/notices.ts
