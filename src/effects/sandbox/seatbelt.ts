import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Mount } from '../../domain/sandbox/policy.ts'
import { type Profiled, profileOf } from '../../domain/sandbox/macos-profile.ts'
import { environmentInside } from './bubblewrap.ts'

// The sandbox of macOS. It was written from documents and from what other programs do, and never tried on a Mac.

/** How sandbox-exec is started. */
export interface Seatbelt {
  /** Absolute path of sandbox-exec. */
  readonly program: string
}

/** Why `auto` does not use it. */
export const UNTRIED =
  'the sandbox of aiswarm for macOS was never tried on a Mac; sandbox.mode: required uses it nevertheless'

interface Start extends Omit<Profiled, 'temporary'> {
  readonly folder: string
  /** A folder in which the temporary one of this start is made. */
  readonly near: string
  readonly listed: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The words before the program that connect it. */
  readonly words: readonly string[]
}

/**
 * The words before a program that is to run inside. A shell makes the temporary folder, and removes it after the program;
 * it hears the signals that end a run, so that the program has its grace period.
 */
export const insideSeatbelt = (
  { program }: Seatbelt,
  mounts: readonly Mount[],
  { folder, near, listed, environment, words, ...profiled }: Start,
): readonly string[] => {
  const temporary = join(near, `private-${randomUUID()}`)
  const { unset, set } = environmentInside(listed, environment)
  return [
    '/bin/sh',
    '-c',
    'trap : TERM INT HUP; mkdir -m 700 "$0" && cd "$1" || exit 125; shift; "$@"; code=$?; rm -rf "$0"; exit "$code"',
    temporary,
    folder,
    program,
    '-p',
    profileOf(mounts, { ...profiled, temporary }),
    '/usr/bin/env',
    ...unset.flatMap((name) => ['-u', name]),
    ...[...set, ['TMPDIR', temporary] as const].map(([name, value]) => `${name}=${value}`),
    ...words,
  ]
}
