/** The script of /docs/console: Scalar, which sends requests. Samples have the reader's values. */
import { type Program, readPrograms, withOrigin, withProgram } from './docs/programs.ts'

type Scalar = {
  createApiReference: (
    element: string,
    configuration: Record<string, unknown>,
  ) => { updateConfiguration: (configuration: Record<string, unknown>) => void }
}

/** Defined by the preceding script. */
declare const Scalar: Scalar

/**
 * Serves everything from this installation, and stores nothing: Scalar would store keys in the
 * browser.
 */
const configurationOf = (content: string, scheme: 'apiKey' | 'session') => ({
  content,
  authentication: { preferredSecurityScheme: scheme },
  persistAuth: false,
  proxyUrl: '',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  generateOperationSlug: ({ operationId = '' }: { operationId?: string }) => operationId,
})

const start = async (): Promise<void> => {
  const [response, programs] = await Promise.all([
    fetch('/openapi.json'),
    readPrograms().catch((): Program[] => []),
  ])
  const text = withOrigin(await response.text())
  const configurationFor = (program?: Program) =>
    program
      ? configurationOf(withProgram(text, program), 'session')
      : configurationOf(text, 'apiKey')

  document.querySelector('#console')?.replaceChildren()
  const console = Scalar.createApiReference('#console', configurationFor(programs[0]))
  const select = document.querySelector<HTMLSelectElement>('#program')
  if (!select || !programs.length) return
  for (const { id, name, workspace } of programs)
    select.add(new Option(`${name} (${workspace})`, id))
  select.addEventListener('change', () =>
    console.updateConfiguration(configurationFor(programs.find(({ id }) => id === select.value))),
  )
  select.closest('p')?.removeAttribute('hidden')
}

void start()
