import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// The system calls that the kernel refuses inside the sandbox, as a filter of classic BPF. Namespaces do not cover them:
// the kernel's keyrings belong to the user, and a terminal or the kernel itself has no name in the file system.

/** One architecture: its name in Node and in the kernel (AUDIT_ARCH_*), and the numbers of the refused calls. */
interface Architecture {
  readonly audit: number
  readonly refused: readonly number[]
  readonly ioctl: number
  /** Calls from this number on belong to another interface of the kernel (x32). */
  readonly foreign?: number
}

const architectures: Readonly<Record<string, Architecture>> = {
  // add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, kexec_load, kexec_file_load, init_module,
  // finit_module, delete_module, swapon, swapoff, reboot, acct, open_by_handle_at, io_uring_*.
  x64: {
    audit: 0xc000003e,
    refused: [248, 249, 250, 321, 298, 323, 246, 320, 175, 313, 176, 167, 168, 169, 163, 304, 425, 426, 427],
    ioctl: 16,
    foreign: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    refused: [217, 218, 219, 280, 241, 282, 104, 294, 105, 273, 106, 224, 225, 142, 89, 265, 425, 426, 427],
    ioctl: 29,
  },
}

/** Requests that type into a terminal: TIOCSTI, TIOCLINUX. */
const terminalRequests = [0x5412, 0x541c]

const LOAD = 0x20
const EQUAL = 0x15
const ATLEAST = 0x35
const RETURN = 0x06
const ALLOW = 0x7fff0000
const REFUSE = 0x00050000 | 1
const NOT_THERE = 0x00050000 | 38

/** The filter for this processor; undefined if there is none. */
const seccompFilter = (architecture: string = process.arch): Buffer | undefined => {
  const known = architectures[architecture]
  if (known === undefined) return undefined
  const program: (readonly [code: number, yes: number, no: number, value: number])[] = [
    [LOAD, 0, 0, 4],
    // A program for another processor (32 bits) would use other numbers.
    [EQUAL, 1, 0, known.audit],
    [RETURN, 0, 0, NOT_THERE],
    [LOAD, 0, 0, 0],
  ]
  if (known.foreign !== undefined) program.push([ATLEAST, 0, 1, known.foreign], [RETURN, 0, 0, NOT_THERE])
  for (const number of known.refused) program.push([EQUAL, 0, 1, number], [RETURN, 0, 0, REFUSE])
  program.push([EQUAL, 1, 0, known.ioctl], [RETURN, 0, 0, ALLOW], [LOAD, 0, 0, 24])
  for (const request of terminalRequests) program.push([EQUAL, 0, 1, request], [RETURN, 0, 0, REFUSE])
  program.push([RETURN, 0, 0, ALLOW])
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, yes, no, value], at) => {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(yes, at * 8 + 2)
    bytes.writeUInt8(no, at * 8 + 3)
    bytes.writeUInt32LE(value, at * 8 + 4)
  })
  return bytes
}

/** Writes the filter into a folder, whole, and returns its path; undefined if there is none for this processor. */
export const filterFile = (folder: string): string | undefined => {
  const filter = seccompFilter()
  if (filter === undefined) return undefined
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'seccomp')
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, filter, { mode: 0o600 })
  renameSync(draft, path)
  return path
}
