import { findMachine } from '../src/effects/sandbox/machine.ts'

/** The tests that confine real programs, as globs. */
const confined = ['test/effects/sandbox/{agents,attacks,steps}.test.ts']

const machine = await findMachine()

/** Why this machine cannot run them; undefined if it can. */
export const whyNoSandbox = 'why' in machine ? machine.why : undefined

/** Those that this machine cannot run. */
export const withoutSandbox: readonly string[] = whyNoSandbox === undefined ? [] : confined
