/**
 * How well known a record is, as one number: pages list the most prominent first. Each sign counts by its
 * magnitude, so that no single one drowns the others.
 */
import type { Company } from './company.ts'
import type { Person } from './person.ts'

/** A raised sum begins to count at about this many US dollars. */
const RAISED_UNIT_USD = 100_000
const CHAINS_COUNTED = 9

/** Prominence of a company: followers, money raised, investors, investments, chains, and completeness of the record. */
export function companyProminence(company: Company): number {
  const { followers, funding, portfolioCount, chains, completeness } = company
  const sum =
    Math.log10(1 + followers) +
    Math.log10(1 + (funding.raisedUsd ?? 0) / RAISED_UNIT_USD) +
    2 * Math.log10(1 + funding.investors) +
    2 * Math.log10(1 + portfolioCount) +
    Math.log10(1 + Math.min(chains.length, CHAINS_COUNTED)) +
    completeness
  return rounded(sum)
}

/** Prominence of a person: followers, roles, and half of the company's. */
export function personProminence({ followers, roles, company }: Person): number {
  const role = roles.includes('founder') ? 1.5 : roles.includes('executive') ? 0.75 : 0
  return rounded(Math.log10(1 + followers) + role + (company ? companyProminence(company) / 2 : 0))
}

/** Runtimes differ in the last digits of a logarithm. 0 for what is no number. */
const rounded = (value: number) => Math.round(value * 1e6) / 1e6 || 0
