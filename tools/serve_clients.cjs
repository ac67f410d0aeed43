// The official Node client against a server, streaming and not.
//
//     npm install --prefix ~/.cache/akunu/node openai
//     akunu serve smollm2 [ENCODER] [--chat-template FILE] --port 8080
//     NODE_PATH=~/.cache/akunu/node/node_modules node tools/serve_clients.cjs http://127.0.0.1:8080 [KEY]
//
// The first model answers. Prints a line for each check, and exits with 1 where one fails.

"use strict";
const assert = require("node:assert");
const OpenAI = require("openai");

const base = process.argv[2] ?? "http://127.0.0.1:8080";
const key = process.argv[3] ?? "none";
const client = new OpenAI({ baseURL: base + "/v1", apiKey: key, maxRetries: 0 });
const messages = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "What is the capital of France?" },
];
const country = {
  type: "object",
  properties: { name: { type: "string", maxLength: 20 }, people: { type: "integer", minimum: 0, maximum: 1e9 } },
  required: ["name", "people"],
  additionalProperties: false,
};
let failed = 0;

async function check(name, run) {
  const start = Date.now();
  let what;
  try {
    what = await run();
  } catch (e) {
    failed += 1;
    what = `FAILED ${e?.stack ?? e}`;
  }
  console.log(`${name}: ${what} (${((Date.now() - start) / 1000).toFixed(2)} s)`);
}

function follows(text) {
  const v = JSON.parse(text);
  assert.deepStrictEqual(Object.keys(v).sort(), ["name", "people"]);
  assert.ok(Number.isInteger(v.people) && v.name.length <= 20);
  return v;
}

// What a promise is refused with.
async function refused(promise) {
  try {
    await promise;
  } catch (e) {
    return e;
  }
  throw new Error("it was taken");
}

async function main() {
  const model = (await client.models.list()).data[0].id;
  const ask = { model, messages, temperature: 0, max_tokens: 24 };

  await check("chat, streaming and not", async () => {
    const whole = await client.chat.completions.create(ask);
    let text = "";
    let usage = null;
    const options = { stream: true, stream_options: { include_usage: true } };
    for await (const chunk of await client.chat.completions.create({ ...ask, ...options })) {
      text += chunk.choices[0]?.delta?.content ?? "";
      usage = chunk.usage ?? usage;
    }
    assert.strictEqual(text, whole.choices[0].message.content);
    assert.strictEqual(usage.completion_tokens, whole.usage.completion_tokens);
    return JSON.stringify(text);
  });

  await check("completions", async () => {
    const r = await client.completions.create({ model, prompt: ["Once upon", "The sea"], n: 2, max_tokens: 6, logprobs: 1 });
    assert.strictEqual(r.choices.length, 4);
    assert.ok(r.choices[0].logprobs.tokens.length > 0);
    return JSON.stringify(r.choices[0].text);
  });

  await check("responses", async () => {
    const asked = { model, input: "What is 1 + 1?", max_output_tokens: 16, temperature: 0 };
    const whole = await client.responses.create(asked);
    let text = "";
    for await (const event of await client.responses.create({ ...asked, stream: true })) {
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    assert.strictEqual(text, whole.output_text);
    return JSON.stringify(text);
  });

  await check("formats", async () => {
    const schema = { type: "json_schema", json_schema: { name: "country", strict: true, schema: country } };
    const r = await client.chat.completions.create({ ...ask, max_tokens: 120, response_format: schema });
    return JSON.stringify(follows(r.choices[0].message.content));
  });

  await check("log-probabilities", async () => {
    const r = await client.chat.completions.create({ ...ask, logprobs: true, top_logprobs: 2 });
    const content = r.choices[0].logprobs.content;
    assert.ok(content.length > 0 && content.every((t) => t.top_logprobs.length === 2));
    return `${content.length} tokens`;
  });

  await check("tools", async () => {
    const tools = [{ type: "function", function: { name: "note_country", parameters: country, strict: true } }];
    const asked = { ...ask, max_tokens: 200, tools, tool_choice: "required", parallel_tool_calls: false };
    let r;
    try {
      r = await client.chat.completions.create(asked);
    } catch (e) {
      assert.strictEqual(e.code, "unsupported_by_model");
      return "the model's template knows none";
    }
    const call = r.choices[0].message.tool_calls[0];
    assert.strictEqual(r.choices[0].finish_reason, "tool_calls");
    const runner = client.chat.completions.stream(asked);
    const streamed = (await runner.finalChatCompletion()).choices[0].message.tool_calls[0];
    assert.strictEqual(streamed.function.arguments, call.function.arguments);
    return JSON.stringify(follows(call.function.arguments));
  });

  await check("embeddings", async () => {
    for (const { id } of (await client.models.list()).data.slice(1)) {
      const r = await client.embeddings.create({ model: id, input: ["one text", "another"] });
      assert.ok(r.data.length === 2 && r.data[0].embedding.length > 1);
      return `${r.data[0].embedding.length} values`;
    }
    const e = await refused(client.embeddings.create({ model, input: "x" }));
    assert.strictEqual(e.code, "unsupported_by_model");
    return "no encoder is served";
  });

  await check("errors have types", async () => {
    const bad = await refused(client.chat.completions.create({ ...ask, top_p: 1.5 }));
    assert.ok(bad instanceof OpenAI.BadRequestError && bad.param === "top_p");
    const unknown = await refused(client.chat.completions.create({ ...ask, model: "other" }));
    assert.ok(unknown instanceof OpenAI.NotFoundError);
    return "refused by name";
  });

  await check("a stream that is left", async () => {
    const stream = await client.chat.completions.create({ ...ask, max_tokens: 400, stream: true });
    for await (const _ of stream) break;
    stream.controller.abort();
    return "left after a chunk";
  });

  await check("64 at once", async () => {
    const one = async (i) => {
      const asked = { model, messages: [{ role: "user", content: `Count from ${i}.` }], max_tokens: 32, temperature: 0 };
      if (i % 2 === 0) return (await client.chat.completions.create(asked)).choices[0].message.content;
      let text = "";
      for await (const c of await client.chat.completions.create({ ...asked, stream: true })) text += c.choices[0]?.delta?.content ?? "";
      return text;
    };
    const texts = await Promise.all(Array.from({ length: 64 }, (_, i) => one(i)));
    assert.ok(texts.every((t) => t.length > 0));
    return `${texts.length} answers`;
  });
  process.exitCode = failed > 0 ? 1 : 0;
}

main();
