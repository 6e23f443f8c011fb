/**
 * The URL of a PostgreSQL, read as libpq reads it: several hosts may stand in it, `postgres://user:password@h1:5432,h2/name`, and
 * every part may stand among the parameters, `postgres:///name?host=h1`. A leaf.
 */

/** How a connection to PostgreSQL is protected, by libpq's names. */
export const SSL_MODES = [
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
] as const
export type SslMode = (typeof SSL_MODES)[number]

/** libpq's parameter that selects one of several servers. Both values mean the primary. */
export const TARGET_SESSION_ATTRS = 'target_session_attrs'
const TARGETS = ['read-write', 'primary']

/** Parameters with an effect. `prepare=false` is for poolers; `ssl` is sslmode of earlier versions. */
const USED = [
  'sslmode',
  'sslrootcert',
  'ssl',
  TARGET_SESSION_ATTRS,
  'application_name',
  'options',
  'prepare',
]

/** Parameters that stand for a part of the URL. */
const PARTS = ['host', 'port', 'user', 'password', 'dbname']

/** Parameters of hosts and other programs for "no prepared statements", as a pooler needs. */
const UNPREPARED: Readonly<Record<string, string>> = {
  pgbouncer: 'true',
  prepared_statements: 'false',
  statement_cache_size: '0',
}

/** Parameters that may be dropped with these values, or with any value (an empty list), because they change nothing here. */
const DROPPED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    channel_binding: ['disable', 'prefer'],
    gssencmode: ['disable', 'prefer'],
    sslnegotiation: ['postgres'],
    sslcertmode: ['disable', 'allow'],
    ssl_min_protocol_version: ['TLSv1', 'TLSv1.1', 'TLSv1.2'],
    requiressl: ['0'],
    replication: ['false', 'off', 'no', '0'],
    client_encoding: ['auto', 'UTF8', 'utf8', 'UTF-8', 'utf-8'],
    schema: ['public'],
    sslaccept: ['accept_invalid_certs'],
    ...withAnyValue(
      'connect_timeout fallback_application_name keepalives keepalives_count keepalives_idle keepalives_interval',
      'tcp_user_timeout load_balance_hosts max_protocol_version sslcompression sslsni gssdelegation gsslib krbsrvname',
      'charset encoding connection_limit pool pool_timeout pool_max_conns pool_min_conns pool_mode socket_timeout timeout',
      'supa uselibpqcompat workaround serverVersion default_query_exec_mode statement_cache_capacity',
      'binary_parameters idle_timeout max_lifetime',
      ...Object.keys(UNPREPARED),
    ),
  }),
)

/** libpq's parameters that aren't supported. */
const UNSUPPORTED =
  /^(hostaddr|passfile|service|servicefile|require_auth|requirepeer|ssl(cert|crl|crldir|key|keylogfile|password)|ssl_max_protocol_version|min_protocol_version|(scram|oauth)_\w+)$/

function withAnyValue(...names: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(names.flatMap((each) => each.split(' ')).map((name) => [name, []]))
}

/** Scheme, user with password, hosts with ports, name, parameters. A password may have # and ?, and only a slash ends it. */
const FORM = /^(postgres(?:ql)?:\/\/)(?:([^/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s
/** A host, an IPv6 address in brackets among them, and a port. */
const HOST = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s
const MAX_PORT = 65_535

/** The parts of a URL, decoded. */
interface DatabaseUrl {
  scheme: string
  hosts: { host: string; port: string }[]
  user: string
  password: string
  database: string
  parameters: Map<string, string>
}

/** @returns undefined where the text isn't a URL of a PostgreSQL */
function parse(url: string): DatabaseUrl | undefined {
  const [whole, scheme = '', userinfo = '', hosts = '', name = '', query = ''] =
    FORM.exec(url) ?? []
  if (whole === undefined || hosts + name + query === '') return undefined
  const [, user = '', password = ''] = /^([^:]*)(?::(.*))?$/s.exec(userinfo) ?? []
  try {
    const parameters = new Map(
      query
        .split('&')
        .filter(Boolean)
        .map((each) => {
          const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(each) ?? []
          return [decodeURIComponent(key), decodeURIComponent(value)]
        }),
    )
    return {
      scheme,
      hosts: hostsOf(hosts, parameters),
      user: parameters.get('user') ?? decodeURIComponent(user),
      password: parameters.get('password') ?? decodeURIComponent(password),
      database: parameters.get('dbname') ?? decodeURIComponent(name),
      parameters,
    }
  } catch (error) {
    // A % without two hexadecimal digits.
    if (error instanceof URIError) return undefined
    throw error
  }
}

/**
 * The hosts of a URL and their ports, those of its parameters before those in front of the name. One port is that of each host; there
 * are no hosts where the numbers differ otherwise.
 */
function hostsOf(text: string, parameters: ReadonlyMap<string, string>): DatabaseUrl['hosts'] {
  const before = text.split(',').map((each) => {
    const [, host = '', port = ''] = HOST.exec(each.trim()) ?? []
    return { host: decodeURIComponent(host).replace(/^\[(.*)\]$/s, '$1'), port }
  })
  const hosts = parameters.get('host')?.split(',') ?? before.map(({ host }) => host)
  const ports = parameters.get('port')?.split(',') ?? before.map(({ port }) => port)
  if (ports.length > 1 && ports.length !== hosts.length) return []
  return hosts.map((host, position) => ({ host, port: ports[position] ?? ports[0] ?? '' }))
}

/**
 * @returns a URL for each host, in their order, with every part in its place, and of the parameters those that are used.
 * Undefined where it is no URL of a PostgreSQL.
 */
export function urlOfEachHost(url: string): string[] | undefined {
  const parsed = parse(url)
  if (!parsed?.hosts.length) return undefined
  const { scheme, hosts, user, password, database, parameters } = parsed
  const used = new Map([...parameters].filter(([name]) => USED.includes(name)))
  for (const [name, value] of Object.entries(UNPREPARED)) {
    if (parameters.get(name) === value) used.set('prepare', 'false')
  }
  const query = [...used].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  const secret = password && `:${encodeURIComponent(password)}`
  const userinfo = user || password ? `${encodeURIComponent(user)}${secret}@` : ''
  const after = `${database && `/${encodeURIComponent(database)}`}${query && `?${query}`}`
  const urls = hosts.map(({ host, port }) => {
    // A URL of the web has a host where it has a user or a port.
    const given = host === '' && (userinfo || port) ? 'localhost' : host
    const name = given.includes(':') ? `[${given}]` : encodeURIComponent(given)
    return `${scheme}${userinfo}${name}${port && `:${port}`}${after}`
  })
  const areWhole = hosts.length === 1 || hosts.every(({ host }) => host !== '')
  const arePorts = hosts.every(({ port }) => isPort(port))
  return areWhole && arePorts && urls.every((each) => URL.canParse(each)) ? urls : undefined
}

const isPort = (port: string) =>
  port === '' || (/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) <= MAX_PORT)

export function urlParameter(url: string, name: string): string | null {
  return parse(url)?.parameters.get(name) ?? null
}

interface DatabaseUrls {
  databaseUrl?: string | undefined
  databaseReadUrl?: string | undefined
}

/** Names of dropped parameters. */
export function droppedParameters({ databaseUrl = '', databaseReadUrl = '' }: DatabaseUrls) {
  const names = [databaseUrl, databaseReadUrl].flatMap((url) => [
    ...(parse(url)?.parameters.keys() ?? []),
  ])
  return [...new Set(names)].filter((name) => DROPPED.has(name))
}

/** One URL of `urlOfEachHost` in parts. A host that is a directory is that of a Unix socket, whose path is `path`. */
export function partsOfUrl(url: string) {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const host = decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1'))
  const number = Number(port || 5432)
  return {
    host,
    port: number,
    path: host.startsWith('/') ? `${host}/.s.PGSQL.${number}` : '',
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    parameters: searchParams,
  }
}

/** Contradictions between the addresses of the primary and of the standby that is read. */
export function problemsOfDatabaseUrls({ databaseUrl, databaseReadUrl }: DatabaseUrls): string[] {
  const problems = [
    ...wrongParameters('DATABASE_URL', databaseUrl, { [TARGET_SESSION_ATTRS]: TARGETS }),
    ...wrongParameters('DATABASE_READ_URL', databaseReadUrl, {}),
  ]
  if (databaseReadUrl && urlParameter(databaseReadUrl, TARGET_SESSION_ATTRS) !== null) {
    problems.push(`DATABASE_READ_URL: expected no ${TARGET_SESSION_ATTRS}, as any server will do`)
  }
  if (databaseReadUrl && !databaseUrl) {
    problems.push('DATABASE_READ_URL: expected DATABASE_URL as well, which names the primary')
  }
  return problems
}

/** A line for each parameter that is unknown, unsupported or wrong. */
function wrongParameters(
  variable: string,
  url: string | undefined,
  choices: Readonly<Record<string, readonly string[]>>,
): string[] {
  const known = new Map([...DROPPED, ['sslmode', SSL_MODES], ...Object.entries(choices)])
  return [...(url ? (parse(url)?.parameters ?? []) : [])].flatMap(([name, value]) => {
    const values = known.get(name) ?? []
    if (values.length > 0 && value !== '' && !values.includes(value)) {
      return [`${variable}: expected ${name} to be one of ${values.join(', ')}`]
    }
    if (known.has(name) || [...USED, ...PARTS].includes(name)) return []
    const shown = /^[\w.-]{1,60}$/.test(name) ? name : JSON.stringify(name.slice(0, 60))
    return [
      UNSUPPORTED.test(name)
        ? `${variable}: expected no ${name}, because it is not supported`
        : `${variable}: expected no parameter ${shown}: a setting of PostgreSQL goes into options, like options=-c%20work_mem%3D64MB`,
    ]
  })
}
