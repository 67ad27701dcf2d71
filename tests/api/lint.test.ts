import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { openapi } from '../../api/openapi.ts'

test('the OpenAPI document passes Redocly’s recommended rules without a warning', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(openapi()), config })
  expect(
    problems.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
    ),
  ).toEqual([])
})
