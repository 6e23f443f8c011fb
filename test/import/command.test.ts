/** `chainkin import`, as an operator runs it. */
import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../helpers/command.ts'
import { sharedDatabase, sharedDirectory } from '../helpers/shared.ts'

const t = sharedDatabase()
const directory = sharedDirectory()

const env = () => ({ DATABASE_URL: t.url })

async function file(name: string, content: string): Promise<string> {
  const path = join(directory.path, name)
  await writeFile(path, content)
  return path
}

describe.concurrent('chainkin import', () => {
  test('takes all three kinds at once and says what went in', async () => {
    const companies = await file(
      'companies.csv',
      'name,companyType\nAcme,project\nFund,investor\nShop,shop\n',
    )
    const people = await file('people.jsonl', '{"firstName":"Ann","company":"acme"}\n')
    const rounds = await file(
      'rounds.jsonl',
      '{"externalId":"r","company":"acme","investors":[{"investor":"fund"}]}\n',
    )
    const args = ['import', '--rounds', rounds, '--people', people, '--companies', companies]
    const { code, stdout, stderr } = await run(args, { env: env() })
    expect(stdout.trim().split('\n')).toEqual([
      'companies: 3 read, 2 created, 0 updated, 0 unchanged, 1 refused',
      'people: 1 read, 1 created, 0 updated, 0 unchanged, 0 refused',
      'rounds: 1 read, 1 created, 0 updated, 0 unchanged, 0 refused',
    ])
    expect(stderr.trim()).toBe(
      'companies row 3: companyType: not one of project, investor, platform, launchpad, service, institution',
    )
    expect(code).toBe(0)
  })

  test('--json: one object on stdout, refused rows and unknown fields on stderr; - is stdin', async () => {
    const input = '{"firstName":"Ben","mood":"x"}\n{"firstName":"Cem","email":"nonsense"}\n'
    const finished = await run(['import', '--people', '-', '--json'], { env: env(), input })
    expect(finished.json()).toEqual({
      people: {
        read: 2,
        created: 1,
        updated: 0,
        unchanged: 0,
        refused: 1,
        refusals: [{ row: 2, field: 'email', reason: 'not an e-mail address' }],
        ignoredFields: ['mood'],
      },
    })
    expect(finished.stderr.trim().split('\n')).toEqual([
      'people: unknown field ignored: mood',
      'people row 2: email: not an e-mail address',
    ])
    expect(finished.code).toBe(0)
  })

  test('refused rows are named up to a thousand, then counted', async () => {
    const input = '{}\n'.repeat(1_003)
    const { stderr } = await run(['import', '--companies', '-'], { env: env(), input })
    const lines = stderr.trim().split('\n')
    expect(lines.length).toBe(1_001)
    expect(lines.at(-1)).toBe('and 3 more refused rows')
  })

  test('a file that is not there is refused by name, before anything is read', async () => {
    const args = ['import', '--companies', '-', '--people', 'nowhere.csv', '--json']
    const input = '{"name":"Never","companyType":"project"}\n'
    const finished = await run(args, { env: env(), input })
    expect(finished.json()).toEqual({ error: 'nowhere.csv: no such file or directory' })
    expect(finished.code).toBe(1)
    expect((await t.sql`select from companies where name = 'Never'`).length).toBe(0)
  })

  test('a file that can not be read on is exit 1, with what went in before', async () => {
    const path = await file('cut.csv', 'name,companyType\nBefore,project\n"Cut,project\n')
    const finished = await run(['import', '--companies', path, '--json'], { env: env() })
    expect(finished.json().error).toStartWith('companies: broken at row 2')
    expect(finished.json().companies).toMatchObject({ read: 0, created: 0 })
    expect(finished.code).toBe(1)
  })

  test('no file, or stdin twice, is wrong usage', async () => {
    expect((await run(['import'], { env: env() })).code).toBe(2)
    const twice = await run(['import', '--people', '-', '--rounds', '-'], { env: env() })
    expect(twice.code).toBe(2)
  })

  test('the embedded database takes it too', async () => {
    const options = { env: { DATA_DIR: join(directory.path, 'data') } }
    const args = ['import', '--companies', '-', '--json']
    const input =
      '{"name":"Acme","companyType":"project"}\n{"name":"Café","companyType":"project"}\n'
    const first = await run(args, { ...options, input })
    expect(first.json().companies).toMatchObject({ created: 2 })
    const again = await run(args, { ...options, input })
    expect(again.json().companies).toMatchObject({ created: 0, unchanged: 2 })
  }, 60_000)
})
