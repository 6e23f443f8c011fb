/** The engines that the search bench compares. */
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

/** @returns the best `limit` ids, best first */
export type Search = (q: string, limit: number) => string[] | Promise<string[]>

export interface Engine {
  name: string
  build(targets: readonly Target[]): Promise<{ search: Search; stop?(): Promise<void> }>
}

/** Ours without the directory's cache of answers. */
const chainkin: Engine = {
  name: 'chainkin',
  async build(targets) {
    const index = new TermIndex()
    targets.forEach((target, slot) => {
      const { name, ticker, handle: twitterHandle, domain, text, formerHandle } = target
      const handleHistory = formerHandle === null ? [] : [{ handle: formerHandle }]
      const document = target.isPerson
        ? personDocument({ firstName: name, lastName: null, jobTitle: text, twitterHandle })
        : companyDocument({ name, ticker, twitterHandle, domain, aiSummary: text, handleHistory })
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

/** MiniSearch's class with the project's tokenizer, folding and followers, and as many typos as its documentation proposes. */
const miniSearch: Engine = {
  name: 'minisearch',
  async build(targets) {
    const index = new MiniSearch<Target>({
      fields: ['name', 'ticker', 'handle', 'domain', 'text'],
      storeFields: ['followers'],
      tokenize: (text) => {
        const { pieces, joined } = tokenize(text)
        return [...new Set([...pieces, ...joined])]
      },
      processTerm: (term) => term,
      searchOptions: {
        tokenize: (text) => tokenize(text).pieces,
        boost: { name: 4, ticker: 3, handle: 3, domain: 2, text: 0.5 },
        combineWith: 'AND',
        prefix: (_term, place, terms) => place === terms.length - 1,
        fuzzy: (term) => (term.length >= 4 ? 0.2 : false),
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
}

/** PostgreSQL's pieces of three letters. */
const pgTrgm: Engine = {
  name: 'pg_trgm',
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
      create index on targets using gin (name gin_trgm_ops);
      create index on targets using gin (keys);
      create index on targets using gin (summary);
      analyze targets;
      set pg_trgm.similarity_threshold = 0.3;`)
    const search: Search = async (q, limit) => {
      const rows = await sql<{ id: string }[]>`
        with query as materialized (select lower(unaccent(${q}::text)) as q)
        select id from targets, query
         where name % q or name like q || '%' or keys @> array[q]
            or summary @@ plainto_tsquery('simple', q)
         order by keys @> array[q] or name = q desc, similarity(name, q) desc, followers desc, id
         limit ${limit}`
      return rows.map(({ id }) => id)
    }
    const stop = async () => {
      await sql.end()
      await server.stop()
    }
    return { search, stop }
  },
}

export const ENGINES: readonly Engine[] = [chainkin, miniSearch, pgTrgm]
