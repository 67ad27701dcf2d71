import { SAMPLE_PROGRAM, SAMPLE_WORKSPACE } from '../../api/sample-values.ts'

export type Program = { id: string; name: string; workspace: string }

const read = async <Row>(path: string): Promise<Row[]> => {
  const response = await fetch(path, { headers: { Accept: 'application/json' } })
  const answer = (await response.json()) as { data?: Row[] }
  return answer.data ?? []
}

/**
 * The signed-in reader's programs. The session's cookie, which no script can read, authorizes the
 * call.
 */
export const readPrograms = async (): Promise<Program[]> => {
  const workspaces = await read<{ slug: string }>('/api/workspaces')
  const lists = workspaces.slice(0, 10).map(async ({ slug: workspace }) => {
    const programs = await read<{ id: string; name: string }>(
      `/api/workspaces/${workspace}/programs`,
    )
    return programs.map(({ id, name }) => ({ id, name, workspace }))
  })
  return (await Promise.all(lists)).flat()
}

/** A sample with the reader's program and workspace instead of the made-up ones. */
export const withProgram = (sample: string, { id, workspace }: Program): string =>
  sample
    .replaceAll(SAMPLE_PROGRAM, id)
    .replaceAll(`/workspaces/${SAMPLE_WORKSPACE}`, `/workspaces/${workspace}`)
    .replaceAll(`"example": "${SAMPLE_WORKSPACE}"`, `"example": "${workspace}"`)
    .replaceAll(`workspace: '${SAMPLE_WORKSPACE}'`, `workspace: '${workspace}'`)

/** A sample with the address of this installation. */
export const withOrigin = (sample: string): string =>
  sample.replaceAll(/https:\/\/track\.example(\.com)?(?![\w.-])/g, location.origin)
