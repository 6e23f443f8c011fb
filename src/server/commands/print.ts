/** `print`: files for whoever deploys this version, with the two host names filled in. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { namingFile, Refusal, type Result, reporting, subcommand } from './command.ts'
import { parseChoice } from './parsers.ts'
import { alertRules } from './print/alerts.ts'
import { caddyfile } from './print/caddy.ts'
import { composeFile } from './print/compose.ts'
import { dockerfile } from './print/dockerfile.ts'
import { grafanaDashboard } from './print/grafana.ts'
import { haproxyCfg } from './print/haproxy.ts'
import { nginxConf } from './print/nginx.ts'
import type { Place } from './print/place.ts'
import { systemdUnit } from './print/systemd.ts'

interface Printed {
  /** The file's name in `--out`. */
  file: string
  text(place: Place): string
}

const PRINTED = {
  compose: { file: 'compose.yaml', text: composeFile },
  dockerfile: { file: 'Dockerfile', text: dockerfile },
  systemd: { file: 'chainkin.service', text: systemdUnit },
  caddy: { file: 'Caddyfile', text: caddyfile },
  nginx: { file: 'chainkin.nginx.conf', text: nginxConf },
  haproxy: { file: 'haproxy.cfg', text: haproxyCfg },
  grafana: { file: 'chainkin.grafana.json', text: grafanaDashboard },
  alerts: { file: 'chainkin.rules.yml', text: alertRules },
} as const satisfies Record<string, Printed>

export type PrintedName = keyof typeof PRINTED
export const PRINTED_NAMES = Object.keys(PRINTED) as PrintedName[]

interface Options extends Place {
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

/** The text of a file for this place. */
export const printed = (what: PrintedName, place: Place) => PRINTED[what].text(place)

async function print(what: PrintedName, options: Options): Promise<Result> {
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
