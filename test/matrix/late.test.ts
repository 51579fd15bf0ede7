import { runMatrix } from './matrix.ts'

runMatrix('late')
