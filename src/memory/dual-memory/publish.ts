import { mkdirSync, writeFileSync } from 'node:fs'
import { publishedSchemas } from './json-schemas.ts'

// `npm run schemas` runs this program, which writes schemas/ from the definitions; no module imports it.

const folder = new URL('../../../schemas/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, content] of Object.entries(publishedSchemas())) writeFileSync(new URL(name, folder), content)
