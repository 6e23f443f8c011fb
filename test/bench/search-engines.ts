/** The engines that the search benchmark compares, each with what its own documentation offers. */
import { create, insertMultiple, search } from '@orama/orama'
import { Charset, Document } from 'flexsearch'
import Fuse from 'fuse.js'
import MiniSearch from 'minisearch'
import postgres from 'postgres'
import { companyDocument, personDocument } from '../../index-build/documents.ts'
import { TermIndex } from '../../index-build/term-index.ts'
import { tokenize } from '../../index-build/tokenize.ts'
import { match } from '../../src/directory/search/match.ts'
import { parseQuery } from '../../src/directory/search/query.ts'
import { ranked } from '../../src/directory/search/rank.ts'
import { followersOf } from '../directory/search/followers.ts'
import { startPostgres } from '../helpers/postgres.ts'
import type { Target } from './search-queries.ts'

/** The first `limit` ids, the best first. */
export type Search = (q: string, limit: number) => string[] | Promise<string[]>

export interface Engine {
  name: string
  build(targets: readonly Target[]): Promise<{ search: Search; stop?(): Promise<void> }>
}

const FIELDS = ['name', 'ticker', 'handle', 'domain', 'text'] as const
const BOOSTS = { name: 4, ticker: 3, handle: 3, domain: 2, text: 0.5 }

/** Ours, without the answers that the directory keeps until its next change: every query is worked out. */
const chainkin: Engine = {
  name: 'chainkin',
  async build(targets) {
    const index = new TermIndex()
    targets.forEach((target, slot) => {
      const { name, ticker, handle: twitterHandle, domain, text } = target
      const document = target.isPerson
        ? personDocument({ firstName: name, lastName: null, jobTitle: text, twitterHandle })
        : companyDocument({ name, ticker, twitterHandle, domain, aiSummary: text })
      index.replace(slot, null, document)
    })
    const mostFollowed = followersOf(Float64Array.from(targets, ({ followers }) => followers))
    return {
      search: (q, limit) => {
        const slots = ranked(match(index, parseQuery(q), mostFollowed), mostFollowed, limit)
        return Array.from(slots, (slot) => targets[slot]?.id ?? '')
      },
    }
  },
}

/** MiniSearch's class, with the project's tokenizer, folding and followers. */
const miniSearchWith = (
  name: string,
  limits: { prefix: (term: string) => boolean; fuzzy: number; maxFuzzy: number },
): Engine => ({
  name,
  async build(targets) {
    const index = new MiniSearch<Target>({
      fields: [...FIELDS],
      storeFields: ['followers'],
      tokenize: (text) => {
        const { pieces, joined } = tokenize(text)
        return [...new Set([...pieces, ...joined])]
      },
      processTerm: (term) => term,
      searchOptions: {
        tokenize: (text) => tokenize(text).pieces,
        boost: BOOSTS,
        combineWith: 'AND',
        prefix: (term, i, terms) => i === terms.length - 1 && limits.prefix(term),
        fuzzy: (term) => (term.length >= 4 ? limits.fuzzy : false),
        maxFuzzy: limits.maxFuzzy,
        weights: { prefix: 0.5, fuzzy: 0.1 },
        boostDocument: (_id, _term, stored) => 1 + Math.log10(1 + Number(stored?.followers)) / 10,
      },
    })
    index.addAll(targets)
    return {
      search: (q, limit) =>
        index
          .search(q)
          .slice(0, limit)
          .map(({ id }) => String(id)),
    }
  },
})

/** With as many typos as its documentation proposes. */
const miniSearch = miniSearchWith('minisearch', { prefix: () => true, fuzzy: 0.2, maxFuzzy: 6 })

/** As quick as it can be: no beginnings of one or two letters, one typo. */
const miniSearchBounded = miniSearchWith('minisearch bounded', {
  prefix: (term) => term.length >= 3,
  fuzzy: 1,
  maxFuzzy: 1,
})

const orama: Engine = {
  name: 'orama',
  async build(targets) {
    const schema = {
      id: 'string',
      name: 'string',
      ticker: 'string',
      handle: 'string',
      domain: 'string',
      text: 'string',
    } as const
    const db = create({ schema })
    const documents = targets.map(({ id, name, ticker, handle, domain, text }) => ({
      id,
      name,
      ticker: ticker ?? '',
      handle: handle ?? '',
      domain: domain ?? '',
      text: text ?? '',
    }))
    await insertMultiple(db, documents, 5_000)
    return {
      search: async (q, limit) => {
        const found = await search(db, { term: q, limit, tolerance: 1, boost: BOOSTS })
        return found.hits.map(({ id }) => id)
      },
    }
  },
}

const flexSearch: Engine = {
  name: 'flexsearch',
  async build(targets) {
    const index = new Document({
      document: {
        id: 'id',
        index: FIELDS.map((field) => ({
          field,
          tokenize: 'forward' as const,
          encoder: Charset.LatinBalance,
        })),
      },
    })
    for (const { id, name, ticker, handle, domain, text } of targets) {
      index.add({
        id,
        name,
        ticker: ticker ?? '',
        handle: handle ?? '',
        domain: domain ?? '',
        text: text ?? '',
      })
    }
    return {
      search: (q, limit) => {
        // One list a field, in the order of the fields: the name's first.
        const lists = index.search(q, { limit, suggest: true })
        return [...new Set(lists.flatMap(({ result }) => result.map(String)))].slice(0, limit)
      },
    }
  },
}

const fuse: Engine = {
  name: 'fuse.js',
  async build(targets) {
    const index = new Fuse(targets, {
      keys: FIELDS.map((name) => ({ name, weight: BOOSTS[name] })),
      threshold: 0.3,
      ignoreFieldNorm: false,
    })
    return { search: (q, limit) => index.search(q, { limit }).map(({ item }) => item.id) }
  },
}

/** @param find the best ids, the first first. */
const trigrams = (
  name: string,
  index: string,
  find: (sql: postgres.Sql, q: string, limit: number) => PromiseLike<readonly { id: string }[]>,
): Engine => ({
  name,
  async build(targets) {
    const server = await startPostgres(['-c', 'shared_buffers=256MB'])
    const sql = postgres(server.url('postgres'), { max: 1, onnotice: () => {} })
    await sql.unsafe(`
      create extension pg_trgm;
      create extension unaccent;
      create table targets (id text, name text, keys text[], summary tsvector, followers integer);`)
    for (let start = 0; start < targets.length; start += 5_000) {
      const rows = JSON.stringify(targets.slice(start, start + 5_000))
      await sql`insert into targets
        select id, lower(unaccent(name)), array_remove(array[lower(ticker), lower(handle), lower(domain)], null),
          to_tsvector('simple', coalesce(text, '')), followers
        from json_to_recordset(${rows}::text::json)
          as t (id text, name text, ticker text, handle text, domain text, text text, followers integer)`
    }
    await sql.unsafe(`
      create index on targets using ${index};
      create index on targets using gin (keys);
      create index on targets using gin (summary);
      analyze targets;
      set pg_trgm.similarity_threshold = 0.3;`)
    return {
      search: async (q, limit) => (await find(sql, q, limit)).map(({ id }) => id),
      stop: async () => {
        await sql.end()
        await server.stop()
      },
    }
  },
})

const pgTrgm = trigrams(
  'pg_trgm',
  'gin (name gin_trgm_ops)',
  (sql, q, limit) => sql<{ id: string }[]>`
          with asked as materialized (select lower(unaccent(${q}::text)) as q)
          select id from targets, asked
          where name % q or name like q || '%' or keys @> array[q]
            or summary @@ plainto_tsquery('simple', q)
          order by keys @> array[q] or name = q desc, similarity(name, q) desc, followers desc, id
          limit ${limit}`,
)

/** The names nearest by their pieces of three letters, whatever else matches. */
const pgNearest = trigrams(
  'pg_trgm nearest',
  'gist (name gist_trgm_ops(siglen=64))',
  (sql, q, limit) => sql<{ id: string }[]>`
    select id from targets order by name <-> lower(unaccent(${q}::text)), followers desc, id limit ${limit}`,
)

export const ENGINES: readonly Engine[] = [
  chainkin,
  miniSearch,
  miniSearchBounded,
  orama,
  flexSearch,
  fuse,
  pgTrgm,
  pgNearest,
]
