import { test } from 'vitest'
import { name, revealIsChargedOnce } from './kit.mjs'

test(name, revealIsChargedOnce, 60_000)
