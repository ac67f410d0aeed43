// A chat bot in C++ that can be given a tool: it tells the time when the model asks for it (a model that was trained to call tools is
// needed for that; with others it just chats).
//
//     c++ -std=c++17 chat.cpp $(pkg-config --cflags --libs akunu) -o chat
//     ./chat smollm2
#include <akunu.h>
#include <ctime>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

// A handle that frees itself.
template <auto Free> struct Freed {
    template <class T> void operator()(T *handle) const { Free(handle); }
};
using Model = std::unique_ptr<akunu_model, Freed<akunu_model_free>>;
using Engine = std::unique_ptr<akunu_engine, Freed<akunu_engine_free>>;
using Answer = std::unique_ptr<akunu_answer, Freed<akunu_answer_free>>;

static void check(akunu_status status) {
    if (status != AKUNU_OK) throw std::runtime_error(akunu_last_error());
}

static std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (unsigned char c : text) {
        if (c == '"' || c == '\\') (out += '\\') += static_cast<char>(c);
        else if (c >= 0x20) out += static_cast<char>(c);
        else out += c == '\n' ? "\\n" : " ";
    }
    return out + "\"";
}

static std::string message(const char *role, const std::string &text, const std::string &more = "") {
    return std::string("{\"role\": \"") + role + "\", \"content\": " + quoted(text) + more + "}";
}

static const char TOOLS[] = "[{\"name\": \"time\", \"description\": \"The time of day now\", \"parameters\": "
                            "{\"type\": \"object\", \"properties\": {}, \"additionalProperties\": false}}]";

static std::string now() {
    char text[32];
    std::time_t t = std::time(nullptr);
    std::strftime(text, sizeof text, "%H:%M UTC", std::gmtime(&t));
    return text;
}

int main(int argc, char **argv) try {
    if (argc != 2) return std::cerr << "usage: chat MODEL\n", 2;
    akunu_model *model_handle;
    check(akunu_model_load(argv[1], nullptr, &model_handle));
    Model model(model_handle);
    akunu_engine *engine_handle;
    check(akunu_engine_new(model.get(), nullptr, &engine_handle));
    Engine engine(engine_handle);

    // A template that knows no tools refuses them.
    const std::string probe = "[" + message("user", "x") + "]";
    std::size_t length;
    const bool calls = akunu_model_render_chat(model.get(), probe.c_str(), TOOLS, nullptr, 0, &length) == AKUNU_ERROR_BUFFER;
    std::string conversation, line;
    const char *tools = nullptr;
    akunu_generate_options options;
    check(akunu_generate_options_init(&options, sizeof options));
    options.max_tokens = 200;

    while (std::cout << "> " << std::flush && std::getline(std::cin, line)) {
        conversation += (conversation.empty() ? "" : ", ") + message("user", line);
        for (bool again = true; again;) {
            again = false;
            akunu_answer *answer_handle;
            const std::string all = "[" + conversation + "]";
            tools = calls ? TOOLS : nullptr;
            akunu_status status = akunu_engine_submit_chat(engine.get(), all.c_str(), tools, nullptr, &options, &answer_handle);
            if (status == AKUNU_ERROR_ARGUMENT && tools)
                status = akunu_engine_submit_chat(engine.get(), all.c_str(), nullptr, nullptr, &options, &answer_handle);
            check(status);
            Answer answer(answer_handle);
            std::string said, called;
            akunu_event event{};
            event.size = sizeof event;
            while ((status = akunu_answer_next(answer.get(), -1, &event)) == AKUNU_OK) {
                const std::string text(event.text ? event.text : "", event.text_length);
                if (event.kind == AKUNU_EVENT_TEXT) std::cout << text << std::flush, said += text;
                if (event.kind == AKUNU_EVENT_CALL) called.assign(event.name, event.name_length);
            }
            if (status != AKUNU_DONE) check(status);
            if (called == "time") {
                const std::string call = ", \"tool_calls\": [{\"function\": {\"name\": \"time\", \"arguments\": {}}}]";
                conversation += ", " + message("assistant", said, call) + ", " + message("tool", now());
                again = true;
            } else {
                conversation += ", " + message("assistant", said);
            }
        }
        std::cout << "\n";
    }
    return 0;
} catch (const std::exception &e) {
    std::cerr << "error: " << e.what() << "\n";
    return 1;
}
