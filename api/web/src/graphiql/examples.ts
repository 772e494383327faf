interface Example {
  query: string;
  variables?: string;
}

const told = (variables: Record<string, unknown>): string => JSON.stringify(variables, null, 2);

/** What a newcomer asks first. The names are those of the example memory. */
export const examples: Example[] = [
  {
    query: `# Which entities is a text about, and why? Reads only.
query Recall($text: String!) {
  recall(text: $text) {
    __typename
    ... on Recall {
      matches {
        target { subject }
        score
        attached
        reason
        signals { channel contribution reason }
      }
    }
  }
}
`,
    variables: told({ text: "刘备的弟弟里，你更喜欢哪一个？" }),
  },
  {
    query: `# Everything known of an entity, found by any of its names.
query Known($name: String!) {
  entityByName(name: $name) {
    uuid
    subject
    aliases { text deprecated }
    impressions { text confidence support }
    features { text confidence support }
    relations { source { subject } relation target { subject } strength }
  }
}
`,
    variables: told({ name: "Sherlock" }),
  },
  {
    query: `# Attach a text to what it is about. Writes: the text becomes evidence of the conversation.
mutation Project($input: ProjectEntityInput!) {
  projectEntity(input: $input) {
    __typename
    ... on Projection {
      reason
      activeEntities { runtimeId subject boundEntity { uuid } }
    }
    ... on InvalidInput { code message }
  }
}
`,
    variables: told({ input: { text: "Watson looked tired today.", conversation: "first-steps" } }),
  },
  {
    query: `# What a conversation is about, ready for an agent's prompt.
query Context($conversation: String!) {
  context(conversation: $conversation, tokenBudget: 400) {
    text
    tokens
    truncated
  }
}
`,
    variables: told({ conversation: "first-steps" }),
  },
  {
    query: `# Hear of every entity that a run changes from now on.
subscription Changes {
  entityChanged {
    kind
    entityUuid
    entity { subject revision }
  }
}
`,
  },
];
