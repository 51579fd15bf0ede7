import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

// The pages that people read, and the blocks in them.

export const root = resolve(import.meta.dirname, '../..')

/** The paths from the root: the pages of the root, and those of docs/. */
export const pages: readonly string[] = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
]

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

export interface Block {
  readonly page: string
  /** The line number of the block's first line in its page. */
  readonly line: number
  readonly language: string
  readonly text: string
}

/** The fenced blocks of a page. */
export const blocksOf = (page: string): readonly Block[] => {
  const text = read(page)
  return [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: block = '', index }) => ({
    page,
    line: text.slice(0, index).split('\n').length + 1,
    language,
    text: block,
  }))
}
