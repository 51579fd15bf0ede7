import { createHash, type Hash } from 'node:crypto'
import { Refusal } from '../../domain/rules/refusal.ts'
import { git, gitCommand } from '../git/git.ts'
import { readOutput } from '../processes/process.ts'

// Git does not compare an object with its name when it reads it: a file below `.git/objects` that a program has
// rewritten has another content under the old name. An approval is of content, so aiswarm reads the bytes itself.

/**
 * Refuses with `git_failed` if an object that `tip` has and `base` lacks is not what its name says. Reads every byte of
 * them.
 */
export const proveContent = async (root: string, tip: string, base: string): Promise<void> => {
  const listed = await git(root, ['rev-list', '--objects', '--no-object-names', tip, `^${base}`], {
    timeout: PATIENCE,
    limit: 1024 ** 3,
  })
  await proveObjects(root, listed.split('\n').filter(Boolean))
}

/** As `proveContent`, for a file of a commit and everything that leads to it. */
export const proveFile = async (root: string, commit: string, path: string): Promise<void> => {
  const folders = path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))
  const names = [`${commit}^{commit}`, ...folders.map((folder) => `${commit}:${folder}`), `${commit}:${path}`]
  const found = await git(root, ['cat-file', '--batch-check=%(objectname)'], { input: `${names.join('\n')}\n` })
  await proveObjects(
    root,
    found.split('\n').filter((line) => OID.test(line)),
  )
}

const PATIENCE = 10 * 60_000
const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

const proveObjects = async (root: string, oids: readonly string[]): Promise<void> => {
  if (oids.length === 0) return
  const reader = new ObjectReader()
  const command = gitCommand(root, ['cat-file', '--batch', '--buffer'])
  const { exitCode, said, cut } = await readOutput(
    { ...command, input: `${oids.join('\n')}\n` },
    (piece) => reader.take(piece),
    {
      timeout: PATIENCE,
    },
  )
  if (reader.wrong !== undefined) throw damaged(reader.wrong)
  if (exitCode !== 0 || cut !== undefined || reader.read !== oids.length)
    throw new Refusal(
      'git_failed',
      `The objects of the merge could not be read whole (${said.trim().split('\n')[0] || 'git ended early'}); try again.`,
    )
}

const damaged = (oid: string): Refusal =>
  new Refusal(
    'git_failed',
    `The object ${oid} has another content than its name says: a program has rewritten it, or the disk is damaged. Nothing is merged; 'git fsck' shows more.`,
  )

/** Reads what `git cat-file --batch` prints, and compares each object with its name. */
class ObjectReader {
  /** How many objects were read whole. */
  read = 0
  /** The first object whose content is another. */
  wrong: string | undefined
  #head = Buffer.alloc(0)
  #object: { readonly oid: string; readonly hash: Hash; left: number } | undefined

  take(piece: Buffer): void {
    let rest = piece
    while (rest.length > 0 && this.wrong === undefined)
      rest = this.#object === undefined ? this.#begin(rest) : this.#go(rest)
  }

  #begin(piece: Buffer): Buffer {
    const end = piece.indexOf(10)
    this.#head = Buffer.concat([this.#head, end === -1 ? piece : piece.subarray(0, end)])
    if (end === -1) return piece.subarray(piece.length)
    const line = this.#head.toString('latin1')
    this.#head = Buffer.alloc(0)
    const [oid = '', type = '', size = ''] = line.split(' ')
    if (!OID.test(oid) || !/^\d+$/.test(size)) this.wrong = oid
    const hash = createHash(oid.length === 64 ? 'sha256' : 'sha1').update(`${type} ${size}\0`)
    this.#object = { oid, hash, left: Number(size) }
    return piece.subarray(end + 1)
  }

  /** The content ends with a line break of its own. */
  #go(piece: Buffer): Buffer {
    const object = this.#object!
    if (object.left > 0) {
      const part = piece.subarray(0, object.left)
      object.hash.update(part)
      object.left -= part.length
      return piece.subarray(part.length)
    }
    if (object.hash.digest('hex') !== object.oid) this.wrong = object.oid
    this.read++
    this.#object = undefined
    return piece.subarray(1)
  }
}
