/** command line: commands about the directory and the schema, with the real process. */
import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'
import { commandsIn } from './cli.ts'

const database = sharedDatabase()
const files = sharedDirectory()
const { chainkin, done, refused } = commandsIn(() => ({ DATABASE_URL: database.url }))

describe('the directory', () => {
  test('migrate says which migration the database is at', async () => {
    const { newest, migrations } = await done('migrate')
    expect(newest).toMatch(/^\d{4}_/)
    expect(migrations).toBeGreaterThan(2)
  })

  test('import --json: counts on stdout; each refused row with number, field and reason on stderr; good rows go in', async () => {
    const path = join(files.path, 'companies.jsonl')
    const rows = [
      { name: 'Quartz Labs', companyType: 'project' },
      { name: 'Wrong Kind', companyType: 'spaceship' },
      { companyType: 'project' },
    ]
    await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'))
    const result = await chainkin(['import', '--companies', path, '--json', '--max-refused', '70'])
    expect(result.code).toBe(0)
    expect(result.json().companies).toMatchObject({
      read: 3,
      created: 1,
      updated: 0,
      unchanged: 0,
      refused: 2,
    })
    expect(result.stderr).toMatch(/companies row 2: companyType: not one of project/)
    expect(result.stderr).toMatch(/companies row 3: name: missing/)
    const again = await chainkin(['import', '--companies', path, '--json'])
    expect(again.json().companies).toMatchObject({ created: 0, unchanged: 1, refused: 2 })
  })

  test('import reads stdin, and a file that is not there is refused by name', async () => {
    const row = JSON.stringify({ name: 'From Stdin', companyType: 'service' })
    const result = await chainkin(['import', '--companies', '-', '--json'], row)
    expect([result.code, result.json().companies.created]).toEqual([0, 1])
    expect(await refused('import', '--people', '/no/such/file.csv')).toContain(
      '/no/such/file.csv: no such file',
    )
  })

  test('index build asks the running servers for a new index', async () => {
    expect(await done('index', 'build')).toMatchObject({ requested: true })
  })
})
