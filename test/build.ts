import { mkdirSync } from 'node:fs'
import { buildIfChanged } from '../build/if-changed.ts'
import { testHome } from './home.ts'
import { day, whole } from './support/dose.ts'
import { sharedCluster } from './support/postgres.ts'
import { makeTemplates } from './support/template.ts'

/**
 * Makes what all tests share: the built program, which the stories drive, and the templates. Returns the function that
 * removes the templates.
 */
export default async (): Promise<() => void> => {
  mkdirSync(testHome, { recursive: true })
  buildIfChanged()
  // A failure of one day can be repeated on another.
  if (!whole) console.log(`Heavy tests run the part of day ${day}; DAY=${day} repeats it, EVERY=1 runs all of them.`)
  const removeTemplates = await makeTemplates()
  const cluster = await sharedCluster()
  return () => {
    cluster?.remove()
    removeTemplates()
  }
}
