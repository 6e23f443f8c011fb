/** contract/GET search. */
import { expect } from 'bun:test'
import { ADA, AURORA, DORADO, EMBER } from '../helpers/fixtures.ts'
import { PERSON, PROJECT } from '../helpers/shapes.ts'
import { group, type Row, type Suite } from './suite.ts'

export function search(suite: Suite): void {
  group(suite, 'contract/GET search', ({ rows, story }) => {
    const finds = (q: string, what: string): Row => ({
      name: `${what} finds a project`,
      path: `/v1/search?q=${encodeURIComponent(q)}`,
      holds: { 'projects[].id': [AURORA.id] },
    })
    rows([
      {
        name: '{q, limit, projects[], people[], meta}: no total, no paging; records as on the lists',
        path: '/v1/search?q=a',
        keys: { '': ['q', 'limit', 'projects', 'people', 'meta'] },
        shapes: { 'projects[]': PROJECT, 'people[]': PERSON },
        holds: { q: 'a', limit: 12 },
      },
      {
        name: 'channels of people stay locked',
        path: '/v1/search?q=ada',
        holds: {
          'people[].id': [ADA.id],
          'people[].isLocked': [true],
          'people[].email': [null],
          'people[].phone': [null],
        },
      },
      ...(
        [
          ['', 12],
          ['&limit=12', 12],
          ['&limit=13', 12],
          ['&limit=100', 12],
          ['&limit=5', 5],
          ['&limit=0', 1],
          ['&limit=-1', 1],
        ] as const
      ).map(([query, limit]) => ({
        name: 'Limits: 12 of each group at most; the limit that is used is said',
        path: `/v1/search?q=xu${query}`,
        holds: { limit, 'people[].isLocked': Array(limit).fill(true) },
      })),
      {
        name: 'q is echoed trimmed',
        path: '/v1/search?q=%20%22aurora%22%20',
        holds: { q: '"aurora"' },
      },
      finds('AURORA', 'another case'),
      finds('áurörà', 'another accent'),
      finds('@aurora', 'a leading @'),
      finds('$AUR', 'a leading $'),
      finds('auro', 'the last word as a prefix'),
      finds('aurora proto', 'every word, the last as a prefix'),
      finds('aurara protocol', 'a typo in a longer word'),
      { name: 'every word must match', path: '/v1/search?q=aurora+zebra', holds: { projects: [] } },
      {
        name: 'funds and services are searched on their own lists',
        path: '/v1/search?q=ember',
        holds: { 'projects[].id': expect.not.arrayContaining([EMBER.id]) },
      },
      { path: '/v1/search?q=dorado', holds: { 'projects[].id': [DORADO.id] } },
      {
        name: 'an empty answer is live',
        path: '/v1/search?q=zzzzqqqq',
        holds: { projects: [], people: [] },
      },
      ...['"', "'", '\\', ';--', '<script>', '%', '*', '(', '🙂', '🙂'.repeat(50)].map((q) => ({
        name: 'any text is searched for',
        path: `/v1/search?q=${encodeURIComponent(q)}`,
        holds: { q },
      })),
      ...['', '?q=', '?q=%20', '?limit=3'].map(
        (query): Row => ({ path: `/v1/search${query}`, code: 'missing_parameter' }),
      ),
    ])

    story('a group holds the first of exactly what the list pages through', async (world) => {
      for (const q of ['a', 'aurora', 'xu', 'ada', 'cap', 'member 0003', '$aur']) {
        const query = `q=${encodeURIComponent(q)}`
        const { projects, people } = await world.bodyOf(`/v1/search?${query}`)
        expect(projects).toEqual((await world.bodyOf(`/v1/projects?${query}&limit=12`)).data)
        expect(people).toEqual((await world.bodyOf(`/v1/people?${query}&limit=12`)).data)
      }
    })
  })
}
