// A callback that throws. `./throws MODEL kept` does it as the header says: keep it, return 1, throw it again after the call. With `loose` the
// exception leaves the callback, which ends the process.
#include <akunu.h>
#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>

static std::exception_ptr kept;

static int loose(const akunu_token *, void *) { throw std::runtime_error("from the callback"); }

static int keep(const akunu_token *token, void *data) try {
    return loose(token, data);
} catch (...) {
    kept = std::current_exception();
    return 1;
}

int main(int argc, char **argv) try {
    if (argc != 3) return 2;
    akunu_model *model = nullptr;
    akunu_session *session = nullptr;
    akunu_generation result{};
    result.size = sizeof result;
    if (akunu_model_load(argv[1], nullptr, &model) || akunu_session_new(model, nullptr, &session) ||
        akunu_session_append_text(session, "once", AKUNU_NUL))
        return 3;
    const bool lets_it = std::strcmp(argv[2], "loose") == 0;
    const akunu_status status = akunu_session_generate(session, nullptr, lets_it ? loose : keep, nullptr, &result);
    std::cout << status << " " << result.finish << " " << result.tokens << "\n";
    akunu_session_free(session);
    akunu_model_free(model);
    if (kept) std::rethrow_exception(kept);
    return 4;
} catch (const std::exception &e) {
    std::cout << e.what() << "\n";
    return 0;
}
