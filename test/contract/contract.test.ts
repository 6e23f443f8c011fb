/** The contract, from outside, in this process. `test/runtime` runs the same against Bun, Deno and the binary. */
import { test } from 'bun:test'
import { testService } from '../helpers/service.ts'
import { contract } from './contract.ts'
import { worldOf } from './in-process.ts'
import { ENVIRONMENT, fillDirectory } from './world.ts'

contract({ world: worldOf(await testService(fillDirectory, ENVIRONMENT)), check: test })
