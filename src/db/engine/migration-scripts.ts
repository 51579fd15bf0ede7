import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Script {
  readonly name: string
  readonly sql: string
  readonly hash: string
}

export const readScripts = (folder: string): readonly Script[] =>
  readdirSync(folder)
    .filter((file) => /^\d{3}_\w+\.sql$/.test(file))
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name))
      return { name, sql: bytes.toString('utf8'), hash: createHash('sha256').update(bytes).digest('hex') }
    })
