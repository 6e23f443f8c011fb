/**
 * A small directory that tests know by heart: companies of all six types, people with every mix of
 * channels, rounds. Each order that lists can have (D31) puts the records in another sequence.
 */
import { expect } from 'bun:test'
import type { Database } from '../../src/database/client.ts'
import { importRows } from '../../src/directory/import/import.ts'
import {
  AURORA,
  BOREALIS,
  COMPANIES,
  DORADO,
  EMBER,
  GLACIER,
  HARBOR,
  JUNO,
  uuid,
} from './companies.ts'

export * from './companies.ts'

/** An id and a slug of nothing in here. */
export const UNKNOWN_ID = uuid(999_999)
export const UNKNOWN_SLUG = 'nobody-of-this-name'

/** All four channels on file. What they say occurs nowhere else: a test can search for it. */
export const ADA = {
  id: uuid(101),
  slug: 'ada-ashford',
  firstName: 'Ada',
  lastName: 'Ashford',
  jobTitle: 'Co-Founder & CEO',
  twitterHandle: 'ada_ashford',
  avatarUrl: 'https://people.example/ada.png',
  isCreator: true,
  creatorFollowerCount: 1_200,
  company: AURORA.slug,
  contactType: 'team',
  roles: ['founder', 'executive'],
  createdAt: '2025-04-05T10:00:00.000Z',
  email: 'ada-sentinel@private.example',
  phone: '+1 202 555 0147',
  telegram: 'ada_sentinel_tg',
  linkedinUrl: 'https://www.linkedin.com/in/ada-sentinel',
}

/** One channel; Ada's coworker. */
export const BEN = {
  id: uuid(102),
  slug: 'ben-birch',
  firstName: 'Ben',
  lastName: 'Birch',
  jobTitle: 'Senior Engineer',
  company: AURORA.slug,
  contactType: 'team',
  roles: ['engineering'],
  createdAt: '2025-04-01T10:00:00.000Z',
  email: 'ben-sentinel@private.example',
}

/** No channel on file: nothing to reveal (D19). */
export const CLEO = {
  id: uuid(103),
  slug: 'cleo-cross',
  firstName: 'Cleo',
  lastName: 'Cross',
  jobTitle: 'Community Manager',
  company: AURORA.slug,
  contactType: 'team',
  roles: ['community'],
  createdAt: '2025-04-03T10:00:00.000Z',
}

export const DAN = {
  id: uuid(104),
  slug: 'dan-drake',
  firstName: 'Dan',
  lastName: 'Drake',
  jobTitle: 'Investment Partner',
  company: EMBER.slug,
  contactType: 'analyst',
  roles: ['investor'],
  createdAt: '2025-04-04T10:00:00.000Z',
  telegram: 'dan_sentinel_tg',
  linkedinUrl: 'https://www.linkedin.com/in/dan-sentinel',
}

/** No Latin letter in the name, so no slug; no company either. */
export const FANG = {
  id: uuid(105),
  firstName: '芳',
  lastName: '王',
  contactType: 'team',
  createdAt: '2025-04-02T10:00:00.000Z',
  phone: '+86 10 5555 0188',
}

export const FAY = {
  id: uuid(106),
  slug: 'fay-finch',
  firstName: 'Fay',
  lastName: 'Finch',
  jobTitle: 'Head of Legal',
  contactType: 'team',
  roles: ['legal'],
  createdAt: '2025-04-07T10:00:00.000Z',
  email: 'fay-sentinel@private.example',
  phone: '+1 202 555 0199',
}

export const EMILE = {
  id: uuid(107),
  slug: 'emile-gerard',
  firstName: 'Émile',
  lastName: 'Gérard',
  jobTitle: 'Security Auditor',
  company: HARBOR.slug,
  contactType: 'analyst',
  roles: ['engineering', 'other'],
  createdAt: '2025-04-06T10:00:00.000Z',
}

export const PEOPLE = [ADA, BEN, CLEO, DAN, FANG, FAY, EMILE]

/** What must never be seen before it is paid for, of all of them. */
export const PRIVATE_VALUES: readonly string[] = PEOPLE.flatMap((person) =>
  Object.entries(person).flatMap(([field, value]) =>
    ['email', 'phone', 'telegram', 'linkedinUrl'].includes(field) ? [String(value)] : [],
  ),
)

export const AURORA_SEED = {
  id: uuid(201),
  company: AURORA.slug,
  roundType: 'Seed',
  roundEventName: 'Seed round',
  amountUsd: 2_500_000,
  announceDate: '2024-03-01T00:00:00.000Z',
  investors: [
    { investor: EMBER.slug, isLead: true },
    { investor: DORADO.slug, isLead: false },
  ],
}

export const AURORA_SERIES_A = {
  id: uuid(202),
  company: AURORA.slug,
  roundType: 'Series A',
  roundEventName: null,
  amountUsd: 10_000_000,
  announceDate: '2025-02-01T00:00:00.000Z',
  investors: [],
}

export const BOREALIS_SERIES_A = {
  id: uuid(203),
  company: BOREALIS.slug,
  roundType: 'Series A',
  roundEventName: null,
  amountUsd: null,
  announceDate: '2024-09-01T00:00:00.000Z',
  investors: [
    { investor: GLACIER.slug, isLead: true },
    { investor: EMBER.slug, isLead: false },
  ],
}

export const ROUNDS = [AURORA_SEED, AURORA_SERIES_A, BOREALIS_SERIES_A]

/** Puts all of it into an empty directory. */
export async function fixtures(database: Database): Promise<void> {
  for (const [kind, rows] of [
    ['companies', COMPANIES],
    ['people', PEOPLE],
    ['rounds', ROUNDS],
  ] as const) {
    const { created, refusals } = await importRows(database, kind, rows)
    expect({ kind, refusals, created }).toEqual({ kind, refusals: [], created: rows.length })
  }
}

/** People of Juno Launchpad, `count` of them, named so that they sort by number. */
export async function crowd(database: Database, count: number): Promise<void> {
  const people = Array.from({ length: count }, (_, position) => ({
    id: uuid(10_001 + position),
    firstName: 'Xu',
    lastName: `Member ${String(position + 1).padStart(4, '0')}`,
    company: JUNO.slug,
    createdAt: '2024-01-01T00:00:00.000Z',
    email: `crowd-${position + 1}@private.example`,
  }))
  const { refusals } = await importRows(database, 'people', people)
  expect(refusals).toEqual([])
}

/** The id of the crowd's nth member, from 1. */
export const crowdId = (number: number) => uuid(10_000 + number)
