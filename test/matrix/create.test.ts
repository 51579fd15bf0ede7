import { runMatrix } from './matrix.ts'

runMatrix('create')
