import { mkdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Refusal } from '../../src/domain/refusal.ts'
import { asRefusal } from '../../src/domain/system-error.ts'

const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

const system = (code: string) => Object.assign(new Error(`${code}: oops`), { code, syscall: 'write', path: '/repo/.aiswarm/run/x' })

it('an error of the system is a refusal that says what to do, where, and the error number', () => {
  expect(asRefusal(system('ENOSPC'))?.message).toBe('The disk is full. Make room and try again (ENOSPC: write /repo/.aiswarm/run/x).')
  expect(asRefusal(system('EIO'))).toMatchObject({ code: 'disk_failed', message: expect.stringContaining('Check the disk (dmesg)') as string })
})

it('what node throws is understood as it is', () => {
  expect(asRefusal(thrownBy(() => readFileSync('/')))?.message).toBe('A folder is in the place of a file. Move it away (EISDIR: read).')
  expect(asRefusal(thrownBy(() => mkdirSync('/dev/null/x')))?.message).toBe(
    'A part of the path is no folder. Move the file away that is in its place (ENOTDIR: mkdir /dev/null/x).',
  )
})

it('a refusal stays what it is, and a bug is none', () => {
  const refusal = new Refusal('not_found', 'There is no task 7.')
  expect(asRefusal(refusal)).toBe(refusal)
  for (const bug of [new TypeError('x is not a function'), system('EBADF'), system('EINVAL'), Object.assign(new Error('x'), { code: 'ENOSPC' }), 'text', undefined])
    expect(asRefusal(bug)).toBeUndefined()
})
