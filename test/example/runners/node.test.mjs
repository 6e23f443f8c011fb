import { test } from 'node:test'
import { name, revealIsChargedOnce } from './kit.mjs'

test(name, revealIsChargedOnce)
