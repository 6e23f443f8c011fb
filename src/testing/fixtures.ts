/**
 * The fixed directory that a test directory holds unless it is given rows of its own: companies of all six
 * types, people with every mix of channels, rounds. Ids, slugs and names are constants, in the form of
 * import rows, and each order that lists can have (D31) puts the records in another sequence.
 */
import {
  AURORA,
  BOREALIS,
  COMET,
  DORADO,
  EMBER,
  FJORD,
  GLACIER,
  HARBOR,
  IRIS,
  JUNO,
} from './records/companies.ts'
import { ADA, BEN, CLEO, DAN, EMILE, FANG, FAY } from './records/people.ts'
import { AURORA_SEED, AURORA_SERIES_A, BOREALIS_SERIES_A } from './records/rounds.ts'

export const fixtures = {
  companies: {
    /** A project of which every field is known. */
    aurora: AURORA,
    borealis: BOREALIS,
    /** Nothing known but its name; it has ended. */
    comet: COMET,
    /** An institution; it backed a round, but is no fund. */
    dorado: DORADO,
    /** A fund of which every field is known; it is listed among the services as well. */
    ember: EMBER,
    /** An angel: a fund that is one person. */
    fjord: FJORD,
    glacier: GLACIER,
    harbor: HARBOR,
    iris: IRIS,
    juno: JUNO,
  },
  people: {
    /** All four private channels on file. */
    ada: ADA,
    /** Ada's coworker, with an e-mail address on file. */
    ben: BEN,
    /** No channel on file: nothing to reveal. */
    cleo: CLEO,
    dan: DAN,
    /** No slug and no company. */
    fang: FANG,
    fay: FAY,
    emile: EMILE,
  },
  rounds: {
    auroraSeed: AURORA_SEED,
    auroraSeriesA: AURORA_SERIES_A,
    borealisSeriesA: BOREALIS_SERIES_A,
  },
} as const
