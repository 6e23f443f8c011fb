/** `chainkin import`, as an operator runs it. */
import { describe, expect, test } from 'bun:test'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { linesOf, run } from '../../helpers/command.ts'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'
import { partsOf, rowOf, zipOf } from './workbook.ts'

const t = sharedDatabase()
const directory = sharedDirectory()

const env = () => ({ DATABASE_URL: t.url })
const PACE = 'Importing at full speed: no service is answering calls'

async function file(name: string, content: string | Buffer): Promise<string> {
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
      '  1 × refused: companyType: not one of project, investor, platform, launchpad, service, institution (first: line 4)',
      'people: 1 read, 1 created, 0 updated, 0 unchanged, 0 refused',
      'rounds: 1 read, 1 created, 0 updated, 0 unchanged, 0 refused',
    ])
    expect(linesOf(stderr)).toEqual([
      PACE,
      'companies row 3 (line 4): companyType: not one of project, investor, platform, launchpad, service, institution',
      'chainkin import: companies: 1 of 3 rows were refused (33.3 %); --max-refused allows 5 %. Correct them (--report FILE lists them) and import again',
    ])
    expect(code).toBe(1)
  })

  test('takes the sheet of a workbook that --sheet names, and says which ones there are', async () => {
    const header = rowOf(1, ['Company', 'Type'])
    const sheets = { Notes: header, Funds: header + rowOf(2, ['Westbay Fund', 'VC']) }
    const path = await file('book.xlsx', zipOf(partsOf(sheets)))
    const taken = await run(['import', '--companies', path, '--sheet', 'Funds'], { env: env() })
    expect(taken.stdout).toBe('companies: 1 read, 1 created, 0 updated, 0 unchanged, 0 refused\n')
    const refused = await run(['import', '--companies', path, '--sheet', 'New'], { env: env() })
    expect(refused.stderr).toContain('the workbook has no sheet "New": it has "Notes", "Funds"')
    expect(refused.code).toBe(1)
  })

  test('--json: one object on stdout, refused rows and unknown fields on stderr; - is stdin', async () => {
    const input = '{"firstName":"Ben","mood":"x"}\n{"firstName":"Cem","email":"nonsense"}\n'
    const finished = await run(['import', '--people', '-', '--json'], { env: env(), input })
    expect(finished.json()).toEqual({
      people: {
        read: 2,
        created: 2,
        updated: 0,
        unchanged: 0,
        refused: 0,
        warned: 1,
        removed: 0,
        pinned: 0,
        erased: 0,
        refusals: [],
        warnings: [{ row: 2, field: 'email', reason: 'not an e-mail address' }],
        reasons: [
          {
            severity: 'warning',
            field: 'email',
            reason: 'not an e-mail address',
            count: 1,
            firstRow: 2,
            firstLine: 2,
          },
        ],
        ignoredFields: ['mood'],
      },
    })
    expect(linesOf(finished.stderr)).toEqual([
      'people: unknown field ignored: mood',
      'people row 2: email: not an e-mail address (stored without it)',
    ])
    expect(finished.code).toBe(0)
  })

  test('refused rows are named up to a thousand, then counted', async () => {
    const input = '{}\n'.repeat(1_003)
    const { stderr } = await run(['import', '--companies', '-'], { env: env(), input })
    const lines = linesOf(stderr)
    expect(lines.length).toBe(1_003)
    expect(lines.at(-2)).toBe('and 3 more refused rows and values; --report FILE writes all')
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

  test('--report: every refusal and warning as CSV, safe in a spreadsheet, no private value in it', async () => {
    const rows = [
      {
        externalId: 'r1',
        firstName: 'Rae',
        email: 'secret at example',
        twitterHandle: '=cmd|calc',
      },
      { externalId: 'r2', jobTitle: 'Nobody' },
      { externalId: 'r3', firstName: 'Rex', company: '@nowhere', phone: 'secret' },
    ]
    const input = rows.map((row) => JSON.stringify(row)).join('\n')
    const report = join(directory.path, 'report.csv')
    await writeFile(report, 'of an earlier import', { mode: 0o644 })
    const args = ['import', '--people', '-', '--report', report, '--max-refused', '40']
    expect((await run(args, { env: env(), input })).code).toBe(0)
    expect((await stat(report)).mode & 0o777).toBe(0o600)
    const lines = (await readFile(report, 'utf8')).trim().split('\r\n')
    expect(lines).toEqual([
      'file,line,column,field,value,severity,reason',
      "stdin,1,twitterHandle,twitterHandle,'=cmd|calc,warning,not an X handle",
      'stdin,1,email,email,,warning,not an e-mail address',
      'stdin,2,firstName,firstName,,refused,"missing, and lastName too"',
      'stdin,3,phone,phone,,warning,not a telephone number',
      `stdin,3,company,company,'@nowhere,warning,"no such company: none has this id, externalId, slug, domain or name"`,
    ])
    expect(lines.join()).not.toContain('secret')
  })

  test('--report over a file that is read, or where no file can be, is refused before anything is read', async () => {
    const people = await file('own.jsonl', '{"firstName":"Own"}\n')
    const over = await run(['import', '--people', people, '--report', people], { env: env() })
    expect(over.stderr).toContain('this is the file of --people')
    expect(await readFile(people, 'utf8')).toBe('{"firstName":"Own"}\n')
    const nowhere = ['import', '--people', people, '--report', join(people, 'report.csv')]
    expect((await run(nowhere, { env: env() })).stderr).toContain('no such file or directory')
    expect((await t.sql`select from people where first_name = 'Own'`).length).toBe(0)
  })

  const hasFullDevice = process.platform === 'linux'
  test.skipIf(!hasFullDevice)(
    'a disk that is full for the report costs the report alone',
    async () => {
      const input = '{"externalId":"full","firstName":"Fay","phone":"nonsense"}\n'
      const args = ['import', '--people', '-', '--report', '/dev/full', '--json']
      const finished = await run(args, { env: env(), input })
      const error = '/dev/full: the disk is full: the report is not whole'
      expect(finished.json()).toMatchObject({ people: { created: 1, warned: 1 }, error })
      expect(finished.code).toBe(1)
    },
  )

  test('a file without rows is said, and one with a column twice keeps all files out', async () => {
    const empty = await run(['import', '--people', '-'], { env: env(), input: 'First Name\n' })
    expect(linesOf(empty.stderr)).toEqual([
      PACE,
      'people: no rows: the file is empty, or has nothing below its header',
    ])
    expect(empty.code).toBe(0)
    const companies = await file('once.csv', 'name,companyType\nOnce,project\n')
    const people = await file('twice.csv', 'First Name,First Name\nAda,Ada\n')
    const twice = ['import', '--companies', companies, '--people', people]
    const { stdout, stderr } = await run(twice, { env: env() })
    expect(stdout).toBe('')
    expect(stderr).toContain('two columns are named "First Name" (firstName)')
    expect(stderr).toContain('nothing was stored')
    expect((await t.sql`select from companies where name = 'Once'`).length).toBe(0)
  })

  test('--max-refused that is no percentage is wrong usage', async () => {
    const args = ['import', '--people', '-', '--max-refused', '101']
    expect((await run(args, { env: env() })).code).toBe(2)
  })

  test('--strict: a bad value refuses its row', async () => {
    const input = '{"externalId":"strict","firstName":"Di","phone":"nonsense"}\n'
    const args = ['import', '--people', '-', '--json', '--strict']
    const { people, error } = (await run(args, { env: env(), input })).json()
    expect(people).toMatchObject({ created: 0, refused: 1, warned: 0 })
    expect(error).toContain('1 of 1 rows were refused (100 %)')
  })

  test('--map and --map-file say what columns mean; a misspelt column gets a hint', async () => {
    const path = await file(
      'firmen.csv',
      'Firma;Art;Webseite;Sektoren;Tiker\nAcme AG;project;acme.example;DeFi;ACM\n',
    )
    const mapFile = await file(
      'map.csv',
      'column;field\nFirma;slug\nArt;companyType\nWebseite;domain\nSektoren;\n',
    )
    const args = [
      'import',
      '--companies',
      path,
      '--map',
      'Firma=name',
      '--map-file',
      mapFile,
      '--json',
    ]
    const { stderr, json } = await run(args, { env: env() })
    expect(json().companies).toMatchObject({ created: 1, ignoredFields: ['Tiker'] })
    expect(linesOf(stderr)).toEqual([
      'companies: unknown field ignored: Tiker (did you mean ticker? --map "Tiker=ticker")',
    ])
    const [row] = await t.sql`select name, domain from companies where slug = 'acme-ag'`
    expect({ ...row }).toEqual({ name: 'Acme AG', domain: 'acme.example' })
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
  })
})
