import { test } from '@jest/globals'
import { name, revealIsChargedOnce } from './kit.mjs'

test(name, revealIsChargedOnce, 60_000)
