/** `print` and `licenses`: files to deploy this version with, and the licences of what it carries. */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { API_VERSION } from '../../contract/version.ts'
import { MOST_FILE_BYTES } from '../../intake/import/jobs/types.ts'
import { namingFile, Refusal, type Result, reporting, subcommand } from './command.ts'
import { parseChoice } from './parsers.ts'
import alerts from './print/templates/alerts.yml.template' with { type: 'text' }
import caddy from './print/templates/Caddyfile.template' with { type: 'text' }
import systemd from './print/templates/chainkin.service.template' with { type: 'text' }
import compose from './print/templates/compose.yaml.template' with { type: 'text' }
import dockerfile from './print/templates/Dockerfile.template' with { type: 'text' }
import grafana from './print/templates/grafana.json.template' with { type: 'text' }
import haproxy from './print/templates/haproxy.cfg.template' with { type: 'text' }
import nginx from './print/templates/nginx.conf.template' with { type: 'text' }

/** The public names and the machines that a printed file is filled in with. */
interface Place {
  /** Public names without scheme and port. */
  apiHost: string
  appHost: string
  /** Names or addresses by which a proxy reaches the instances. */
  instances: readonly string[]
}

/** Template and name in `--out` of each file. */
const PRINTED = {
  compose: { file: 'compose.yaml', template: compose },
  dockerfile: { file: 'Dockerfile', template: dockerfile },
  systemd: { file: 'chainkin.service', template: systemd },
  caddy: { file: 'Caddyfile', template: caddy },
  nginx: { file: 'chainkin.nginx.conf', template: nginx },
  haproxy: { file: 'haproxy.cfg', template: haproxy },
  grafana: { file: 'chainkin.grafana.json', template: grafana },
  alerts: { file: 'chainkin.rules.yml', template: alerts },
} as const

type PrintedName = keyof typeof PRINTED
export const PRINTED_NAMES = Object.keys(PRINTED) as PrintedName[]

interface PrintOptions extends Place {
  out: string
  force: boolean
}

export function registerPrint(program: Command) {
  subcommand(program, 'print', 'files to deploy this version with: for Docker, systemd, a proxy')
    .addArgument(
      new Argument('<what>', PRINTED_NAMES.join(', ')).argParser(parseChoice(PRINTED_NAMES)),
    )
    .option('--api-host <name>', "the API's public name", parseHostName, 'api.example.com')
    .option('--app-host <name>', "the application's public name", parseHostName, 'app.example.com')
    .option(
      '--instances <hosts>',
      'for a proxy: machines with an instance each, names or addresses, separated by commas',
      parseInstances,
      ['127.0.0.1'],
    )
    .option('--out <folder>', 'write it there, under its usual name; - is standard output', '-')
    .option('--force', 'replace the file that is there', false)
    .addHelpText('after', HELP)
    .action(reporting(print))
}

const HELP = `
  compose      service, PostgreSQL and Caddy with its certificates: needs the binary beside it, and Docker
  dockerfile   an image of the binary, with the embedded database in a volume
  systemd      a unit for one machine, with a user of its own and no rights that it doesn't need
  caddy        a proxy that gets its certificates itself
  nginx        a proxy, for /etc/nginx/conf.d
  haproxy      a proxy that asks instances whether they are ready; the choice for several
  grafana      a dashboard of the metrics, to import
  alerts       rules by which Prometheus tells of what goes wrong

Each file says at its head what it needs and how it is put to use. Look what it says before you use it.`

/** The largest file that a page takes, with room for the rest of its form. */
const APP_BODY_BYTES = MOST_FILE_BYTES + 1024 * 1024

/** The text of a file for this place. */
export function printed(name: PrintedName, place: Place): string {
  const { apiHost, appHost, instances } = place
  return fill(PRINTED[name].template, {
    VERSION: API_VERSION,
    API_HOST: apiHost,
    APP_HOST: appHost,
    APP_BODY_BYTES: String(APP_BODY_BYTES),
    TOO_MANY_DIGITS: String(String(APP_BODY_BYTES).length + 1),
    // No proxy checks the readiness of a single instance: its own answer says more than the proxy's 503.
    IS_ALONE: instances.length === 1,
    INSTANCES: instances.map((host, n) => ({ INSTANCE: host, NUMBER: String(n + 1) })),
    API_UPSTREAMS: instances.map((host) => `${host}:3000`).join(' '),
    APP_UPSTREAMS: instances.map((host) => `${host}:3001`).join(' '),
    NOT_CHARGED: noInstance(0, 'Nothing was charged: repeat the call.'),
    CHARGE_UNKNOWN: noInstance(
      null,
      'Whether the call was charged is not known. Repeat it with the same Idempotency-Key, or look into the ledger.',
    ),
    ...(name === 'compose' && composed(place)),
  })
}

/** Files that compose.yaml carries: the steps of the Dockerfile, and a Caddyfile in which a dollar is two. */
const composed = (place: Place) => ({
  IMAGE_STEPS: printed('dockerfile', place).replace(/^(#.*\n)+\n/, ''),
  CADDYFILE: printed('caddy', { ...place, instances: ['chainkin'] }).replaceAll('$', '$$$$'),
})

/** The answer to the API's callers where a proxy reaches no instance. */
const noInstance = (charged: 0 | null, consequence: string) =>
  JSON.stringify({
    error: {
      code: 'unavailable',
      message: `No server answers. ${consequence}`,
      charged,
      retryAfter: 2,
    },
  })

type Values = Readonly<Record<string, string | boolean | readonly Record<string, string>[]>>

/**
 * Fills a template in. `{{NAME}}` is a text, each line of which gets the indentation of the placeholder. Lines between
 * `{{#NAME}}` and `{{/NAME}}` appear once for each row of a list, or where a condition holds; between `{{^NAME}}` and
 * `{{/NAME}}` where it doesn't. Names are upper case, because Prometheus and Grafana have placeholders of their own.
 */
function fill(template: string, values: Values): string {
  const lookUp = (name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`no value for ${name} of a template`)
    return value
  }
  return template
    .replace(
      /^\{\{([#^])([A-Z_]+)\}\}\n([\s\S]*?)^\{\{\/\2\}\}\n/gm,
      (_, sign: string, name: string, lines: string) => {
        const value = lookUp(name)
        if (typeof value === 'object') return value.map((row) => fill(lines, row)).join('')
        return value === (sign === '#') ? lines : ''
      },
    )
    .replace(/^( +)\{\{([A-Z_]+)\}\}|\{\{([A-Z_]+)\}\}/gm, (_, indent = '', first, other) => {
      const text = String(lookUp(first ?? other))
      return indent === '' ? text : text.trimEnd().replace(/^(?=.)/gm, indent)
    })
}

async function print(what: PrintedName, options: PrintOptions): Promise<Result> {
  const { apiHost, appHost, instances, out, force } = options
  if (apiHost === appHost) {
    throw new Refusal(
      `--api-host and --app-host are both ${apiHost}: expected two names, because the API and the application are two listeners`,
    )
  }
  const { file } = PRINTED[what]
  const text = printed(what, { apiHost, appHost, instances })
  if (out === '-') return { json: { what, file, text }, text: text.trimEnd() }
  const path = join(out, file)
  await mkdir(out, { recursive: true }).catch(namingFile(out))
  await writeFile(path, text, { flag: force ? 'w' : 'wx' }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new Refusal(`${path} is there already: --force replaces it`)
    }
    return namingFile(path)(error)
  })
  return { json: { what, file: path }, text: path }
}

/** Letters, digits and hyphens between dots, as DNS has it. */
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const HOST_NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`)

function parseHostName(value: string): string {
  const name = value.trim().toLowerCase()
  if (!HOST_NAME.test(name) || !name.includes('.')) {
    throw new InvalidArgumentError(
      'Expected a host name like api.example.com, without scheme and port.',
    )
  }
  return name
}

function parseInstances(value: string): string[] {
  const hosts = value.split(',').map((host) => host.trim().toLowerCase())
  if (new Set(hosts).size < hosts.length || !hosts.every((host) => HOST_NAME.test(host))) {
    throw new InvalidArgumentError(
      'Expected host names or IPv4 addresses, each once, without ports, separated by commas.',
    )
  }
  return hosts
}

/** The text of `NOTICES` in the binary: `bun run build` defines it. */
declare const BUNDLED_NOTICES: string | undefined

const NOTICES = join(import.meta.dirname, '../../../NOTICES')

export function registerLicenses(program: Command) {
  subcommand(program, 'licenses', 'the licences of the works that this program carries').action(
    reporting(async () => {
      const text = typeof BUNDLED_NOTICES === 'string' ? BUNDLED_NOTICES : await fromPackage()
      return { json: { notices: text }, text: text.trimEnd() }
    }),
  )
}

function fromPackage(): Promise<string> {
  return readFile(NOTICES, 'utf8').catch(() => {
    throw new Refusal('NOTICES is not here: bun run notices makes it of what is installed')
  })
}
