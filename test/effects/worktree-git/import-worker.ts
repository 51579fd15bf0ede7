import { readFileSync } from 'node:fs'
import { importBranch } from '../../../src/effects/worktree-git/branch.ts'
import type { Opened } from '../../../src/effects/worktree-git/folder.ts'

// Imports the branch of a worktree whose description a file has, and says so: a test kills it before.

const { opened, ref } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as { opened: Opened; ref: string }
process.stdout.write('began\n')
process.stdout.write(`${(await importBranch(opened, ref, 'killed')) ?? 'imported'}\n`)
