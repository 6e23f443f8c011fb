/** The funding rounds of the fixed directory (`../fixtures.ts`). */
import { AURORA, BOREALIS, DORADO, EMBER, GLACIER, uuid } from './companies.ts'

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
