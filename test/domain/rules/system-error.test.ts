import { mkdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { asRefusal, refusalOfWords } from '../../../src/domain/rules/system-error.ts'

const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

const system = (code: string) =>
  Object.assign(new Error(`${code}: oops`), { code, syscall: 'write', path: '/repo/.aiswarm/run/x' })

it('a system error becomes a refusal with advice, the path and the error number', () => {
  expect(asRefusal(system('ENOSPC'))?.message).toBe(
    'The disk is full. Make room and try again (ENOSPC: write /repo/.aiswarm/run/x).',
  )
  expect(asRefusal(system('EIO'))).toMatchObject({
    code: 'disk_failed',
    message: expect.stringContaining('Check the disk (dmesg)') as string,
  })
})

it('an error that node throws is recognized unchanged', () => {
  expect(asRefusal(thrownBy(() => readFileSync('/')))?.message).toBe(
    'A folder is in the place of a file. Move it away (EISDIR: read).',
  )
  expect(asRefusal(thrownBy(() => mkdirSync('/dev/null/x')))?.message).toBe(
    'A part of the path is not a folder. Move away the file in its place (ENOTDIR: mkdir /dev/null/x).',
  )
})

it('an error without a code is recognized by its text', () => {
  const removing = (text: string) =>
    Object.assign(new Error(`, Unknown error: ${text} '/repo/x'`), {
      code: '',
      syscall: 'rm',
      path: '/repo/x',
      errno: -4094,
    })
  expect(asRefusal(removing('Input/output error'))?.message).toBe(
    'The disk reported an error. Check the disk (dmesg), then try again (EIO: rm /repo/x).',
  )
  expect(asRefusal(removing('No space left on device'))?.message).toBe(
    'The disk is full. Make room and try again (ENOSPC: rm /repo/x).',
  )
})

it('a refusal stays unchanged, and a bug is not recognized', () => {
  const refusal = new Refusal('not_found', 'There is no task 7.')
  expect(asRefusal(refusal)).toBe(refusal)
  for (const bug of [
    new TypeError('x is not a function'),
    system('EBADF'),
    system('EINVAL'),
    Object.assign(new Error('x'), { code: 'ENOSPC' }),
    'text',
    undefined,
  ])
    expect(asRefusal(bug)).toBeUndefined()
})

it('an unreadable library is a disk error, and an incompatible one is a bug', () => {
  const loading = (text: string) =>
    Object.assign(new Error(`/opt/linux-x64.node: cannot open shared object file: ${text}`), {
      code: 'ERR_DLOPEN_FAILED',
    })
  expect(asRefusal(loading('Input/output error'))?.message).toBe(
    'The disk reported an error. Check the disk (dmesg), then try again (EIO: load /opt/linux-x64.node).',
  )
  expect(asRefusal(loading('wrong ELF class'))).toBeUndefined()
})

it('a system error that git prints is recognized by its text', () => {
  const printed =
    'error: unable to open loose object b303: No space left on device\nfatal: loose object b303 is corrupt'
  expect(refusalOfWords(printed, 'git merge-tree of a')?.message).toBe(
    'The disk is full. Make room and try again (ENOSPC: git merge-tree of a).',
  )
  expect(refusalOfWords('fatal: refusing to merge unrelated histories', 'git merge-tree of a')).toBeUndefined()
})
