/** The URL of a PostgreSQL, in which libpq lets several hosts stand: `postgres://user:password@h1:5432,h2/name`. A leaf. */

/** How a connection to PostgreSQL is protected, by libpq's names (D117). */
export const SSL_MODES = [
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
] as const
export type SslMode = (typeof SSL_MODES)[number]

/** libpq's parameter for which server of several it is to be. Both words mean the primary (D168). */
export const TARGET_SESSION_ATTRS = 'target_session_attrs'
const TARGETS = ['read-write', 'primary']

/** What comes before the hosts, the hosts, and what follows them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s

/**
 * @returns a URL for each host, in their order: the one that was given where it names one.
 * Undefined where it is no URL of a PostgreSQL.
 */
export function urlOfEachHost(url: string): string[] | undefined {
  const [, before, hosts = '', after = ''] = PARTS.exec(url) ?? []
  if (before === undefined || hosts + after === '') return undefined
  const urls = hosts.split(',').map((host) => `${before}${host.trim()}${after}`)
  const areWhole = urls.length === 1 || urls.every((each) => URL.parse(each)?.hostname)
  return areWhole && urls.every((each) => URL.canParse(each)) ? urls : undefined
}

/** A parameter of the URL; null where it has none of this name. */
export function urlParameter(url: string, name: string): string | null {
  const [first] = urlOfEachHost(url) ?? []
  return first === undefined ? null : new URL(first).searchParams.get(name)
}

/** What is wrong with the addresses of the primary and of the standby that is read, beside their form. */
export function problemsOfDatabaseUrls({
  databaseUrl,
  databaseReadUrl,
}: {
  databaseUrl?: string | undefined
  databaseReadUrl?: string | undefined
}): string[] {
  const problems = [
    ...wrongValues('DATABASE_URL', databaseUrl, { [TARGET_SESSION_ATTRS]: TARGETS }),
    ...wrongValues('DATABASE_READ_URL', databaseReadUrl, {}),
  ]
  if (databaseReadUrl && urlParameter(databaseReadUrl, TARGET_SESSION_ATTRS) !== null) {
    problems.push(`DATABASE_READ_URL: expected no ${TARGET_SESSION_ATTRS}, as any server will do`)
  }
  if (databaseReadUrl && !databaseUrl) {
    problems.push('DATABASE_READ_URL: expected DATABASE_URL as well, which names the primary')
  }
  return problems
}

/** Parameters that have other values than those that there are. */
function wrongValues(
  variable: string,
  url: string | undefined,
  choices: Readonly<Record<string, readonly string[]>>,
): string[] {
  const known: Record<string, readonly string[]> = { sslmode: SSL_MODES, ...choices }
  return Object.entries(known).flatMap(([name, values]) => {
    const value = url && urlParameter(url, name)
    const isRight = !value || values.includes(value)
    return isRight ? [] : [`${variable}: expected ${name} to be one of ${values.join(', ')}`]
  })
}
