/** Answers of the directory from memory. */
import { browseCompanies, listCompanies, prominentCompanies } from './company-collection.ts'
import type { DirectoryReads, PageReads } from './directory.ts'
import { find } from './find.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { browsePeople, listPeople } from './people-collection.ts'
import { browseMostActive, mostActiveFirst, recentInvestments } from './recent-investments.ts'
import type { Store } from './store.ts'

const COWORKERS_MAX = 100

/** @param store asked at each call: a rebuild puts another one in place. */
export function readsOf(store: () => Store, answers: KeptAnswers): DirectoryReads & PageReads {
  return {
    people: (query) => listPeople(store().people, query),
    companies: (directory, query) => listCompanies(store().companies, directory, query),
    values: (list, filter) =>
      list === 'people'
        ? store().people.everyValue(filter, {})
        : store().companies.everyValue(filter, { directory: [list] }),
    browsePeople: (query) => browsePeople(store().people, query),
    browseCompanies: (directory, { sort, ...query }) =>
      sort === 'active'
        ? browseMostActive(store(), directory, query)
        : browseCompanies(store().companies, directory, { ...query, sort }),
    recentInvestments: ({ id }) => recentInvestments(store()).get(id) ?? 0,
    mostActive: (companies) => mostActiveFirst(companies, recentInvestments(store())),
    moment: () => store().moment,
    find: (query) => find(store(), query),
    prominent: (directory, sector, limit) =>
      prominentCompanies(store().companies, directory, sector, limit),
    search: (q, limit) => ({
      projects: listCompanies(store().companies, 'projects', { q, page: 1, limit }).companies,
      people: listPeople(store().people, { q, page: 1, limit }).people,
    }),
    person: (idOrSlug) => store().person(idOrSlug),
    company: (idOrSlug) => store().company(idOrSlug),
    lists: (company, directory) => company.directories.includes(directory),
    team: (company) => store().team(company),
    coworkers: ({ id, company }) => {
      const team = company
        ? store()
            .team(company)
            .slice(0, COWORKERS_MAX + 1)
        : []
      return team.filter((other) => other.id !== id).slice(0, COWORKERS_MAX)
    },
    rounds: (company) => store().roundsOf(company),
    fundingRounds: (company, from, to) => store().fundingRounds(company, from, to),
    portfolio: (company, newest) => store().portfolio(company, newest),
    pictureVersion: ({ id }) => store().pictures.get(id),
    ready: (key, look) => answers.of(store(), key, look),
  }
}
