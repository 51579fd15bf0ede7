import { runMatrix } from './matrix.ts'

runMatrix('discard')
