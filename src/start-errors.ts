/** Errors of a start, without imports: the package's types name them, and nothing that the service is made of. */

/** All wrong values of the environment, a line each. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
  }
}

/** The data directory can't be used; the message says why and what to do. */
export class DataDirError extends Error {
  override name = 'DataDirError'
}

/** The database can't be reached, didn't answer in time, or turned a statement away for a reason that passes. */
export class DatabaseUnavailable extends Error {
  /** True where a statement was sent whose end is unknown; false where nothing was done. */
  readonly isUnknown: boolean
  /** True where waiting may help; false where the operator has to correct something. */
  readonly mayPass: boolean
  readonly reason: string

  constructor(
    reason: string,
    {
      isUnknown = false,
      mayPass = true,
      ...options
    }: ErrorOptions & { isUnknown?: boolean; mayPass?: boolean } = {},
  ) {
    super(`the database is unavailable: ${reason}`, options)
    this.name = 'DatabaseUnavailable'
    this.reason = reason
    this.isUnknown = isUnknown
    this.mayPass = mayPass
  }
}

/** Ends the name of a state that only unreleased builds knew. */
export const UNRELEASED_BUILD = 'of an unreleased build'

/** The database holds migrations or functions that this build doesn't know. */
export class SchemaTooNew extends Error {
  constructor(unknown: readonly string[]) {
    const names = unknown.join(', ')
    super(
      names.includes(UNRELEASED_BUILD)
        ? `the database is from before a release and has a state that this version doesn't know (${names}): start commit 594230a once, which brings it to one that it knows`
        : `the database was migrated by a newer version of this program (${names}): start that version or a newer one, or restore a backup made before the upgrade`,
    )
    this.name = 'SchemaTooNew'
  }
}

/** The address can't be listened on. The message says why, and which variable sets another. */
export class CannotListen extends Error {
  override name = 'CannotListen'
}
