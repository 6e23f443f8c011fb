/** The people of the fixed directory (`../fixtures.ts`): every mix of channels, with and without company and slug. */
import { AURORA, EMBER, HARBOR, uuid } from './companies.ts'

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
