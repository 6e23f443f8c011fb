/** Real proxies in front of real servers, with the files that `chainkin print` writes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { printed } from '../../src/server/commands/print.ts'
import { temporaryDirectory } from './command.ts'
import { freePort } from './postgres.ts'

export const API_HOST = 'api.example.com'
export const APP_HOST = 'app.example.com'
/** Ports of the printed files: both listeners, and the one at which HAProxy calls itself. */
const PORTS = { api: 3000, app: 3001 }
const CALL_PORT = 8403

/** Where a proxy listens here, and where the instances of this test do. */
interface Ports {
  public: number
  plain: number
  /** The one at which HAProxy calls itself. */
  calls: number
  api: string
  app: string
}

/** Runs in a folder of its own and names files by their place there, whatever the folder's name is. */
interface ProxyProgram {
  /** The file as it is printed, moved to this test's ports and without its certificates, which nobody here has. */
  moved(text: string, ports: Ports): string
  /** Arguments to check the file and to serve by it. */
  check: readonly string[]
  run: readonly string[]
}

const FILE = 'conf'
const NGINX = ['-p', './', '-c', FILE, '-e', 'log']
const CADDY = ['--config', FILE, '--adapter', 'caddyfile']

const moveInstances = (text: string, { api, app }: Ports) =>
  text.replaceAll(`:${PORTS.api}`, `:${api}`).replaceAll(`:${PORTS.app}`, `:${app}`)

const PROGRAMS = {
  nginx: {
    moved: (text, ports) => `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid pid;
error_log log;
events {}
http {
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`).join('\n')}
${moveInstances(text, ports)
  .replaceAll(/^ *listen \[::\].*\n/gm, '')
  .replaceAll(/^ *ssl_.*\n/gm, '')
  .replaceAll('listen 443 ssl http2;', `listen 127.0.0.1:${ports.public};`)
  .replaceAll('listen 80;', `listen 127.0.0.1:${ports.plain};`)}
}
`,
    check: ['-t', ...NGINX],
    run: NGINX,
  },
  haproxy: {
    moved: (text, ports) =>
      moveInstances(text, ports)
        .replaceAll(/^ *(user|group|chroot|log|ssl-default-bind-options) .*\n/gm, '')
        .replaceAll(/bind :443.*/g, `bind 127.0.0.1:${ports.public}`)
        .replaceAll('bind :80', `bind 127.0.0.1:${ports.plain}`)
        .replaceAll(`127.0.0.1:${CALL_PORT}`, `127.0.0.1:${ports.calls}`)
        .replaceAll(`port ${PORTS.app}`, `port ${ports.app}`),
    check: ['-c', '-f', FILE],
    run: ['-q', '-f', FILE],
  },
  caddy: {
    moved: (text, ports) =>
      moveInstances(text, ports)
        .replace(
          /^{$/m,
          `{\n\tadmin off\n\tauto_https off\n\tservers {\n\t\tprotocols h1 h2 h2c\n\t}\n\tstorage file_system .`,
        )
        .replaceAll(`health_port ${PORTS.app}`, `health_port ${ports.app}`)
        .replaceAll(
          new RegExp(`^(${API_HOST}|${APP_HOST}) {`, 'gm'),
          `http://$1:${ports.public} {`,
        ),
    check: ['validate', ...CADDY],
    run: ['run', ...CADDY],
  },
} as const satisfies Record<string, ProxyProgram>

export type ProxyName = keyof typeof PROGRAMS
export const PROXIES = Object.keys(PROGRAMS) as ProxyName[]

/**
 * Where a program of this machine is; says aloud where there is none, so that a skipped test is seen.
 * @throws where REQUIRE_PROGRAMS names it, as `.ci/run` does
 */
export function installed(command: string): string | undefined {
  const program = Bun.which(command, { PATH: `${process.env.PATH}:/usr/sbin` })
  const isRequired = process.env.REQUIRE_PROGRAMS?.split(' ').includes(command)
  if (!program && isRequired) throw new Error(`${command} is not installed`)
  if (!program) console.warn(`skipped: ${command} is not installed`)
  return program ?? undefined
}

export interface Proxy {
  port: number
  stop(): Promise<void>
}

/** Checks the printed file with the program itself, then serves by it. @param ports of the instances, as they were told */
export async function startProxy(
  name: ProxyName,
  program: string,
  instances: readonly string[],
  ports: { port: string; appPort: string },
): Promise<Proxy> {
  const [port, plain, calls] = [await freePort(), await freePort(), await freePort()]
  const place = { apiHost: API_HOST, appHost: APP_HOST, instances }
  const { moved, check, run }: ProxyProgram = PROGRAMS[name]
  const all = { public: port, plain, calls, api: ports.port, app: ports.appPort }
  const { path: cwd, remove } = await temporaryDirectory()
  let child: ChildProcess | undefined
  const stop = async () => {
    if (child && child.exitCode === null) {
      const ended = new Promise((resolve) => child?.once('exit', resolve))
      child.kill('SIGTERM')
      await Promise.race([ended, pause(2_000).then(() => child?.kill('SIGKILL'))])
    }
    await remove()
  }
  try {
    await writeFile(join(cwd, FILE), moved(printed(name, place), all))
    const { status, stdout, stderr } = spawnSync(program, check, { cwd, encoding: 'utf8' })
    const said = `${stdout}${stderr}`
    if (status !== 0 || /\bwarn(ing)?\b.*conf/i.test(said)) throw new Error(`${name}: ${said}`)
    child = spawn(program, run, { cwd, stdio: 'ignore' })
    while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))) {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`)
      await pause(20)
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { port, stop }
}

/** A GET of one of the two hosts, by a client of this address of the loopback. */
export function getThrough(
  { port }: Pick<Proxy, 'port'>,
  { host, path, from, headers = {} }: Asked,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, localAddress: from, headers: { host, ...headers } },
      (answer) => {
        let body = ''
        answer.setEncoding('utf8').on('data', (text: string) => {
          body += text
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

interface Asked {
  host: string
  path: string
  from?: string
  headers?: Record<string, string>
}
