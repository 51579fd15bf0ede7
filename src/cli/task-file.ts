import { parse } from 'yaml'
import type { z } from 'zod'
import { Refusal } from '../domain/refusal.ts'
import { importTasks } from '../operations/import-tasks.ts'
import { readText } from './read-text.ts'
import type { Streams } from './services.ts'

export type TaskDrafts = z.input<typeof importTasks.input>

/** The tasks that a JSON or YAML file lists. Refuses with the item and the key that are wrong. */
export const readTaskFile = async (file: string, streams: Streams): Promise<TaskDrafts> => {
  const name = file === '-' ? 'standard input' : file
  const value = withoutNulls(parseText(await readText(file, streams), name))
  if (!Array.isArray(value)) throw new Refusal('invalid_input', `${name} holds no list of tasks; an array of {title, personaId, …} was expected.`)
  const checked = importTasks.input.safeParse(value)
  if (!checked.success) throw new Refusal('invalid_input', `${name}: ${sentenceOf(checked.error.issues[0]!, value.length)}`)
  return value as TaskDrafts
}

/** YAML contains JSON, but its parser takes seconds for the thousands of tasks that JSON's reads at once. */
const parseText = (text: string, name: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return parseYaml(text, name)
  }
}

const parseYaml = (text: string, name: string): unknown => {
  try {
    return parse(text, { logLevel: 'error' })
  } catch (error) {
    const [line] = (error as Error).message.split('\n')
    throw new Refusal('invalid_input', `${name} is neither JSON nor YAML: ${line!.replace(/:$/, '')}.`, { cause: error })
  }
}

/** `command:` without a value, or null as an export writes it, is a key that is not there. */
const withoutNulls = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item: unknown) => (isRecord(item) ? Object.fromEntries(Object.entries(item).filter(([, one]) => one !== null)) : item)) : value

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const sentenceOf = (issue: z.core.$ZodIssue, items: number): string => {
  const [item, ...keys] = issue.path
  if (item === undefined) return items === 0 ? 'the list is empty.' : `${issue.message}.`
  const where = `item ${Number(item) + 1}`
  if (issue.code === 'unrecognized_keys') return `${where} has the unknown key ${issue.keys.map((key) => `'${key}'`).join(', ')}.`
  return keys.length === 0 ? `${where}: ${issue.message}.` : `${where}, key '${keys.join('.')}': ${issue.message.replace(/^Invalid input: /, '')}.`
}
