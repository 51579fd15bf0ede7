import { STORE_VARIABLE } from '../opening/store-address.ts'

/**
 * Has the demo use the server that the environment names, in a schema of its own: one that is named there belongs to a
 * person's board, which must not get the demo's tasks.
 */
export const useOwnSchema = (environment: NodeJS.ProcessEnv): void => {
  const named = environment[STORE_VARIABLE]
  if (!named || !URL.canParse(named)) return
  const url = new URL(named)
  url.searchParams.delete('schema')
  environment[STORE_VARIABLE] = url.href
}

/** The variable as a shell sets it for one command; empty if the demo's board is a database file. */
export const settingOf = (environment: NodeJS.ProcessEnv): string => {
  const named = environment[STORE_VARIABLE]
  return named ? `${STORE_VARIABLE}='${named.replaceAll("'", `'\\''`)}' ` : ''
}
