/**
 * The environment, read once into frozen, checked values. A wrong value is named together with
 * what was expected; nothing starts on a guess.
 */
import { BlockList, isIP } from 'node:net'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface Config {
  /** A PostgreSQL to use; absent means the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  readonly host: string
  /** TCP ports, 0 to 65535; 0 takes a free one. */
  readonly port: number
  readonly appPort: number
  /** Public addresses without a trailing slash; absent means the listener's own. */
  readonly baseUrl: string | undefined
  readonly appUrl: string | undefined
  readonly serviceName: string
  /** Proxies whose `X-Forwarded-For` counts (D23). */
  readonly trustedProxies: BlockList
  /** Origins that get CORS headers (D4); `*` means any. */
  readonly corsOrigins: readonly string[]
  readonly logLevel: LogLevel
  /** A search index built beforehand by `index build --out`. */
  readonly indexSnapshot: string | undefined
}

/** Every wrong value of the environment, a line each. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
  }
}

type Environment = Record<string, string | undefined>

/**
 * Reads the environment.
 * @throws ConfigError naming each wrong value and what was expected.
 */
export function readConfig(environment: Environment): Config {
  const problems: string[] = []

  /** An empty variable counts as unset. `parse` returns undefined for a value that is not `expected`. */
  function read<T>(
    name: string,
    fallback: T,
    expected: string,
    parse: (value: string) => T | undefined,
  ): T {
    const value = environment[name]?.trim()
    if (!value) return fallback
    const parsed = parse(value)
    if (parsed !== undefined) return parsed
    // DATABASE_URL may hold a password: a wrong one is described, never repeated.
    const shown = name === 'DATABASE_URL' ? 'the value given' : JSON.stringify(value)
    problems.push(`${name}: expected ${expected}, got ${shown}`)
    return fallback
  }

  const config: Config = Object.freeze({
    databaseUrl: read<string | undefined>(
      'DATABASE_URL',
      undefined,
      'a URL like postgres://user:password@host:5432/database',
      (value) => (/^postgres(ql)?:\/\/./.test(value) && URL.canParse(value) ? value : undefined),
    ),
    dataDir: read('DATA_DIR', './data', 'a directory', (value) => value),
    host: read('HOST', '127.0.0.1', 'an IP address or host name', parseHost),
    port: read('PORT', 3000, 'a port from 0 to 65535', parsePort),
    appPort: read('APP_PORT', 3001, 'a port from 0 to 65535', parsePort),
    baseUrl: read<string | undefined>('BASE_URL', undefined, 'an http or https URL', parseAddress),
    appUrl: read<string | undefined>('APP_URL', undefined, 'an http or https URL', parseAddress),
    serviceName: read('SERVICE_NAME', 'Chainkin', 'a name of 1 to 80 characters', (value) =>
      value.length <= 80 ? value : undefined,
    ),
    trustedProxies: read(
      'TRUSTED_PROXIES',
      new BlockList(),
      'IP addresses or networks like 10.0.0.0/8, separated by commas',
      parseNetworks,
    ),
    corsOrigins: read<readonly string[]>(
      'CORS_ORIGINS',
      [],
      'origins like https://example.com, separated by commas, or *',
      parseOrigins,
    ),
    logLevel: read<LogLevel>('LOG_LEVEL', 'info', `one of ${LOG_LEVELS.join(', ')}`, (value) =>
      LOG_LEVELS.find((level) => level === value),
    ),
    indexSnapshot: read<string | undefined>(
      'INDEX_SNAPSHOT',
      undefined,
      'a file',
      (value) => value,
    ),
  })
  if (config.port === config.appPort && config.port !== 0) {
    problems.push(`APP_PORT: expected a port other than PORT, got ${config.appPort} for both`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function parsePort(value: string): number | undefined {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65535 ? Number(value) : undefined
}

function parseHost(value: string): string | undefined {
  return isIP(value) || /^[a-z0-9.-]+$/i.test(value) ? value : undefined
}

function parseAddress(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined
  const url = new URL(value)
  const plain = (url.protocol === 'http:' || url.protocol === 'https:') && !url.search && !url.hash
  return plain ? value.replace(/\/+$/, '') : undefined
}

function parseNetworks(value: string): BlockList | undefined {
  const list = new BlockList()
  for (const item of splitList(value)) {
    const [address = '', bits] = item.split('/')
    const version = isIP(address)
    if (!version) return undefined
    const family = version === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) {
      list.addAddress(address, family)
    } else {
      if (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 6 ? 128 : 32)) return undefined
      list.addSubnet(address, Number(bits), family)
    }
  }
  return list
}

function parseOrigins(value: string): string[] | undefined {
  const origins = splitList(value)
  const valid = origins.every((o) => o === '*' || (URL.canParse(o) && new URL(o).origin === o))
  return valid ? origins : undefined
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
