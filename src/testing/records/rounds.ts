/** The funding rounds of the fixed directory (`../fixtures.ts`). */
import { companies, uuid } from './companies.ts'

export const rounds = {
  auroraSeed: {
    id: uuid(201),
    company: companies.aurora.slug,
    roundType: 'Seed',
    roundEventName: 'Seed round',
    amountUsd: 2_500_000,
    announceDate: '2024-03-01T00:00:00.000Z',
    investors: [
      { investor: companies.ember.slug, isLead: true },
      { investor: companies.dorado.slug, isLead: false },
    ],
  },
  auroraSeriesA: {
    id: uuid(202),
    company: companies.aurora.slug,
    roundType: 'Series A',
    roundEventName: null,
    amountUsd: 10_000_000,
    announceDate: '2025-02-01T00:00:00.000Z',
    investors: [],
  },
  borealisSeriesA: {
    id: uuid(203),
    company: companies.borealis.slug,
    roundType: 'Series A',
    roundEventName: null,
    amountUsd: null,
    announceDate: '2024-09-01T00:00:00.000Z',
    investors: [
      { investor: companies.glacier.slug, isLead: true },
      { investor: companies.ember.slug, isLead: false },
    ],
  },
}
