import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { deleteMemoryFile, LARGEST, readMemoryFile, writeMemoryFile } from '../files.ts'
import { ensureMemoryFolder, listMemoryFiles } from '../file-system.ts'
import { decodeText } from '../decode.ts'
import { describeFile } from './file-names.ts'
import type { MemoryConfig } from './memory-config.ts'

/** A file of the session's folder in a list. */
export interface SessionFileEntry {
  readonly name: string
  /** The writer: the orchestrator, or an agent by its id. Null for an unknown file. */
  readonly owner: string | null
}

/** The owner of the session's own files. */
const ORCHESTRATOR = 'orchestrator'

/**
 * Seed 000's memory tools: files of one folder, which everyone reads and only their owner writes. `writer` is an
 * agent's id; null may write nothing, because every file here has an owner.
 */
export class SessionFileStore {
  readonly #root: string
  readonly #config: MemoryConfig

  constructor(root: string, config: MemoryConfig) {
    this.#root = root
    this.#config = config
  }

  list(): readonly SessionFileEntry[] {
    return listMemoryFiles(join(this.#root, this.#config.basePath))
      .filter((name) => name.endsWith('.md'))
      .map((name) => ({ name, owner: ownerOf(name) }))
  }

  read(name: string): string {
    const path = this.#path(name)
    const file = readMemoryFile(path)
    if (file === undefined)
      throw new Refusal('not_found', `There is no memory ${name}; ${this.#config.tools.list} shows them.`)
    return decodeText(file.bytes, name)
  }

  /** Writes the file atomically. */
  write(name: string, content: string, writer: string | null): void {
    this.#refuseOthers(name, writer)
    refuseTooLong(name, content)
    ensureMemoryFolder(this.#root, this.#config.basePath)
    writeMemoryFile(this.#path(name), content)
  }

  /** Replaces the only occurrence of `before`. */
  edit(name: string, before: string, after: string, writer: string | null): void {
    this.#refuseOthers(name, writer)
    const text = this.read(name)
    const at = before === '' ? -1 : text.indexOf(before)
    if (at === -1) throw new Refusal('not_found', `${name} does not contain the old text; read it again.`)
    if (text.indexOf(before, at + 1) !== -1)
      throw new Refusal('invalid_input', `${name} contains the old text more than once; include more of it.`)
    const edited = text.slice(0, at) + after + text.slice(at + before.length)
    refuseTooLong(name, edited)
    writeMemoryFile(this.#path(name), edited)
  }

  delete(name: string, writer: string | null): void {
    this.#refuseOthers(name, writer)
    this.read(name)
    deleteMemoryFile(this.#path(name))
  }

  #path(name: string): string {
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,120}\.md$/.test(name)) {
      throw new Refusal(
        'invalid_name',
        `${JSON.stringify(name.slice(0, 60))} is not a memory name; use letters, digits, - or _ and the ending .md.`,
      )
    }
    return join(this.#root, this.#config.basePath, name)
  }

  #refuseOthers(name: string, writer: string | null): void {
    this.#path(name)
    const owner = ownerOf(name)
    if (owner !== null && owner === writer) return
    const who = writer === null ? 'you are not an agent' : `you are ${writer}`
    const whose =
      owner === null
        ? 'is not a file of the session'
        : owner === ORCHESTRATOR
          ? 'is written only by the orchestrator'
          : `belongs to agent ${owner}`
    throw new Refusal(
      'not_owner',
      `${name} ${whose}, and ${who}; ${writer === null ? 'it was not changed' : `write progress-${writer}.md and result-${writer}.md`}.`,
    )
  }
}

/** The owner of a file by its name. */
const ownerOf = (name: string): string | null => {
  const described = describeFile(name)
  if (!described) return null
  return 'agent' in described ? described.agent : ORCHESTRATOR
}

const refuseTooLong = (name: string, text: string): void => {
  if (Buffer.byteLength(text) > LARGEST)
    throw new Refusal('invalid_input', `${name} would have more than 1 MB; write less.`)
}
