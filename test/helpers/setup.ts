/** Preloaded by `bun test` (bunfig.toml): stops what the helpers started. */
import { stopSharedServer } from './postgres.ts'

stopSharedServer()
