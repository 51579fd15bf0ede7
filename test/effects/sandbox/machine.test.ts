import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findMachine, whyNot } from '../../../src/effects/sandbox/machine.ts'
import { confinementOf } from '../../../src/effects/sandbox/confinement.ts'
import { diagnoseSandbox } from '../../../src/effects/opening/diagnosis.ts'
import { defaultSandbox } from '../../../src/domain/settings/agent-settings.ts'
import { script } from './script.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'

const facts = (files: Readonly<Record<string, string>>) => (path: string) => files[path]

/** A bwrap that ends with this sentence. */
const failing = (sentence: string): string => {
  const folder = join(temporaryFolder(), 'bin')
  mkdirSync(folder)
  script(
    join(folder, 'bwrap'),
    `[ "$1" = --version ] && { echo bubblewrap 9.9; exit 0; }; echo '${sentence}' >&2; exit 1`,
  )
  return folder
}

describe('a machine', () => {
  it('of another system is named', async () => {
    expect(await findMachine({ path: '', platform: 'win32' })).toEqual({
      why: 'aiswarm confines programs on Linux and macOS only, not on win32',
    })
  })

  it('with macOS is used only where the sandbox is required, since that was never tried', async () => {
    vi.stubEnv('AISWARM_SANDBOX', 'auto')
    onTestFinished(() => void vi.unstubAllEnvs())
    const folder = join(temporaryFolder(), 'bin')
    mkdirSync(folder)
    script(join(folder, 'sandbox-exec'), '[ "$1" = -p ]')
    const mac = () => findMachine({ path: folder, platform: 'darwin' })
    const found = { seatbelt: { program: join(folder, 'sandbox-exec') } }
    expect(await mac()).toEqual(found)
    expect(await confinementOf('required', mac)).toEqual(found)
    expect(await confinementOf('auto', mac)).toMatchObject({ off: expect.stringMatching(/never tried/) as string })
    expect(await findMachine({ path: '/nonexistent', platform: 'darwin' })).toEqual({ why: 'sandbox-exec is missing' })
  })

  it('whose bwrap fails says what bwrap said', async () => {
    expect(await findMachine({ path: failing('bwrap: out of luck.'), platform: 'linux' })).toEqual({
      why: 'bubblewrap did not start a program (bwrap: out of luck)',
    })
  })

  it.each([
    [
      'bwrap: setting up uid map: Permission denied',
      { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' },
      /AppArmor/,
    ],
    [
      'bwrap: No permissions to create a new namespace',
      { '/proc/sys/kernel/unprivileged_userns_clone': '0' },
      /for root only/,
    ],
    [
      'bwrap: Creating new namespace failed: No space left on device',
      { '/proc/sys/user/max_user_namespaces': '0' },
      /switched off/,
    ],
    ['bwrap: Creating new namespace failed: Operation not permitted', { '/.dockerenv': '' }, /^this container allows/],
    [
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      { '/run/.containerenv': '' },
      /^parts of \/proc are hidden here/,
    ],
    [
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      { '/proc/self/mountinfo': '22 27 0:21 / /proc rw - proc proc rw\n30 22 0:40 / /proc/keys rw - tmpfs tmpfs rw' },
      /^parts of \/proc are hidden here/,
    ],
    [
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      { '/proc/self/mountinfo': '22 27 0:21 / /proc rw - proc proc rw\n30 22 0:40 / /proc/sys/fs/binfmt_misc rw' },
      /^bubblewrap did not start a program/,
    ],
    ['bwrap: Failed to make / slave: Permission denied', { '/.dockerenv': '' }, /^this container allows no mounts/],
    [
      'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
      { '/.dockerenv': '', '/proc/sys/user/max_user_namespaces': '2147483647' },
      /^an outer limit/,
    ],
    [
      'bwrap: setting up uid map: Operation not permitted',
      { '/proc/self/status': 'Uid:\t0\t0\t0\t0\nCapEff:\t0000000000000000' },
      /^root lacks the capability SETFCAP/,
    ],
    [
      'bwrap: setting up uid map: Operation not permitted',
      { '/proc/self/status': 'Uid:\t0\t0\t0\t0\nCapEff:\t0000000080000000\nSeccomp:\t2' },
      /^a seccomp filter/,
    ],
    [
      'bwrap: Creating new namespace failed: Operation not permitted',
      {},
      /^the kernel allows no user namespaces \(bwrap/,
    ],
  ])('that says "%s" names its reason', (said, files, reason) => {
    expect(whyNot(said, facts(files))).toMatch(reason)
  })
})

describe('sandbox.mode', () => {
  it('off is off', async () => {
    expect(await confinementOf('off')).toEqual({ off: 'the configuration says sandbox: off', chosen: true })
    expect(await diagnoseSandbox({ ...defaultSandbox, mode: 'off' })).toEqual({
      name: 'sandbox',
      ok: null,
      detail: 'off, because the configuration says sandbox: off (agents can do all that you can do)',
    })
  })

  it('required refuses where nothing can be confined', async () => {
    const machine = () => Promise.resolve({ why: 'bubblewrap is not installed' })
    expect((await refusal(confinementOf('required', machine))).message).toBe(
      'The sandbox is required, but bubblewrap is not installed.',
    )
  })
})
