/**
 * The parts of the service that the kit for test suites (`testing/`) is made of. The kit imports these, the contract and `duration.ts`, and
 * nothing else.
 */
export type { ApiFetch } from './api/app.ts'
export { type Json, type JsonObject, openApi30, reference } from './api/openapi/schemas.ts'
export { addressOf, type Config, readConfig } from './config.ts'
export {
  connect,
  type Database,
  DatabaseUnavailable,
  describeError,
  errorCode,
} from './database/client.ts'
export { type MemoryDatabase, type MemoryFile, startMemoryDatabase } from './database/memory.ts'
export { scalar } from './database/scalar.ts'
export { isUuid, uuidOf } from './database/uuid.ts'
export { parseJson } from './intake/import/formats/json.ts'
export { importAll } from './intake/import/import.ts'
export { KINDS, type Rows } from './intake/import/summary.ts'
export { createLog, type Log } from './log.ts'
export { createAccount, setAccount, showAccount } from './money/accounts/accounts.ts'
export { hashApiKey } from './money/accounts/api-key.ts'
export { type Expiry, grantCredits, startPlan, stopPlan } from './money/accounts/credits.ts'
export { type KeyLimits, NETWORKS_EXPECTED, networksOf } from './money/accounts/key-limits.ts'
export { createKey, revokeAccountKey } from './money/accounts/keys.ts'
export type { Call, Outcome } from './money/charge/call.ts'
export type { Meter } from './money/charge/meter.ts'
export { once } from './once.ts'
export { OWN_PLACE } from './people/users/password-queue.ts'
export { createPasswords } from './people/users/passwords.ts'
export { forgetRefusals } from './people/users/rate-limiter.ts'
export { insertUser, ownAccountOf, setEmail } from './people/users/repository.ts'
export { isEmail, storedEmail } from './people/users/validation.ts'
export { exit, type IncomingRequest, incoming, listen } from './runtime.ts'
export { CannotListen, cannotListen, startServer } from './server/service/server.ts'
export { openService, type Service } from './server/service/service.ts'
