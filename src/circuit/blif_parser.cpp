// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <unordered_set>

#include "circuit/blif_model.hpp"

namespace toroid::circuit {
namespace {

class BlifParser {
 public:
    explicit BlifParser(NetlistText& text) : text_(text) {}

    std::vector<BlifModel> parse() {
        while (next_statement()) {
            if (in_dont_cares_ && words_[0] != ".end" && words_[0] != ".model") continue;
            if (words_[0].front() == '.') {
                cover_ = false;
                directive();
            } else {
                row();
            }
        }
        if (models_.empty()) text_.fail(0, "no model in the file");
        if (!ended_) text_.fail(text_.line_number(), "the file ends without .end: is it cut off?");
        return std::move(models_);
    }

 private:
    /// The words of a logical line: comments cut, lines ending in a backslash joined.
    bool next_statement() {
        words_.clear();
        std::string_view line;
        line_ = 0;
        while (text_.next_line(line)) {
            if (line_ == 0) line_ = text_.line_number();
            line = line.substr(0, line.find('#'));
            while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
            const bool goes_on = !line.empty() && line.back() == '\\';
            if (goes_on) line.remove_suffix(1);
            split_words(line, words_);
            if (goes_on) continue;
            if (!words_.empty()) return true;
            line_ = 0;
        }
        return !words_.empty();
    }
    [[noreturn]] void fail(const std::string& message) const { text_.fail(line_, message); }

    BlifModel& model() {
        // .inputs before any .model: the file is one nameless model.
        if (models_.empty() || ended_) {
            models_.emplace_back();
            models_.back().line = line_;
            ended_ = false;
        }
        return models_.back();
    }

    void directive() {
        const std::string_view word = words_[0];
        if (word == ".model") {
            begin_model();
        } else if (word == ".inputs" || word == ".input") {
            for (std::size_t i = 1; i < words_.size(); ++i)
                model().inputs.push_back({model().net(words_[i]), line_});
        } else if (word == ".outputs" || word == ".output") {
            for (std::size_t i = 1; i < words_.size(); ++i)
                model().outputs.push_back({model().net(words_[i]), line_});
        } else if (word == ".clock") {
            for (std::size_t i = 1; i < words_.size(); ++i) model().clocks.push_back(model().net(words_[i]));
        } else if (word == ".names") {
            names();
        } else if (word == ".latch") {
            latch();
        } else if (word == ".subckt" || word == ".gate") {
            instance();
        } else if (word == ".conn") {
            if (words_.size() != 3) fail(".conn takes two nets");
            BlifModel& m = model();
            const auto from = m.net(words_[1]);
            m.logic.push_back({LogicKind::copy, {from}, m.net(words_[2]), {}, false, line_});
        } else if (word == ".end") {
            if (models_.empty()) fail(".end without a model");
            ended_ = true;
            in_dont_cares_ = false;
        } else if (word == ".exdc") {
            in_dont_cares_ = true;  // external don't-cares allow what follows, they demand nothing
        } else if (word == ".blackbox") {
            model().is_black_box = true;
        } else if (word == ".cname" || word == ".attr" || word == ".param") {
            // names and notes of Yosys: no function
        } else if (word == ".mlatch" || word == ".start_kiss" || word == ".search") {
            fail(fmt::format("{} is not supported", word));
        } else {
            text_.warn(line_, fmt::format("unknown directive {} is skipped", shown(word)));
        }
    }

    void begin_model() {
        if (words_.size() > 2) fail(".model takes one name");
        const std::string_view name = words_.size() == 2 ? words_[1] : std::string_view();
        if (!names_.insert(name).second) fail(fmt::format("a second model {}", shown(name)));
        models_.emplace_back();
        models_.back().name = name;
        models_.back().line = line_;
        ended_ = false;
        in_dont_cares_ = false;
    }

    void names() {
        if (words_.size() < 2) fail(".names without an output");
        BlifModel& m = model();
        BlifModel::Logic logic{LogicKind::cover, {}, 0, {}, false, line_};
        for (std::size_t i = 1; i + 1 < words_.size(); ++i) logic.inputs.push_back(m.net(words_[i]));
        logic.output = m.net(words_.back());
        m.logic.push_back(std::move(logic));
        cover_ = true;
    }

    void row() {
        if (!cover_) fail(fmt::format("{} stands outside any .names", shown(words_[0])));
        BlifModel::Logic& logic = models_.back().logic.back();
        const std::size_t expected = logic.inputs.empty() ? 1 : 2;
        const std::string_view inputs = logic.inputs.empty() ? std::string_view() : words_[0];
        if (words_.size() != expected || inputs.size() != logic.inputs.size()) {
            fail(fmt::format("a row of this .names has {} inputs and one output", logic.inputs.size()));
        }
        if (inputs.find_first_not_of("01-") != std::string_view::npos) {
            fail(fmt::format("a row is made of 0, 1 and -, not {}", shown(inputs)));
        }
        const std::string_view output = words_.back();
        if (output != "0" && output != "1")
            fail(fmt::format("a row's output is 0 or 1, not {}", shown(output)));
        const bool off_set = output == "0";
        if (!logic.rows.empty() && logic.off_set != off_set)
            fail("rows of the ON-set and the OFF-set are mixed");
        logic.off_set = off_set;
        logic.rows.push_back(inputs);
    }

    void latch() {
        const std::size_t count = words_.size() - 1;
        if (count < 2 || count > 5) fail(".latch takes: input output [type control] [init]");
        BlifModel& m = model();
        const std::string_view output = words_[2];
        BlifModel::Latch latch{m.net(words_[1]), m.net(output), {}, no_node, false, line_};
        if (count >= 4) {
            latch.edge = words_[3];
            if (latch.edge == "ah" || latch.edge == "al" || latch.edge == "as") {
                fail(fmt::format(
                    "latch {} is level-sensitive or asynchronous ({}): only clocked registers are supported",
                    shown(output), latch.edge));
            }
            if (latch.edge != "re" && latch.edge != "fe") {
                fail(fmt::format("latch {} has unknown type {}", shown(output), shown(latch.edge)));
            }
            if (words_[4] != "NIL") latch.clock = m.net(words_[4]);
        }
        const std::string_view init = count == 3 || count == 5 ? words_.back() : "3";
        if (init == "1") {
            latch.init = true;
        } else if (init == "2" || init == "3") {
            text_.warn(line_,
                       fmt::format("latch {} has no defined initial value; it starts at 0", shown(output)));
        } else if (init != "0") {
            fail(fmt::format("latch {} has initial value {}: it must be 0, 1, 2 or 3", shown(output),
                             shown(init)));
        }
        m.latches.push_back(latch);
    }

    void instance() {
        if (words_.size() < 2) fail(fmt::format("{} without a name", words_[0]));
        BlifModel& m = model();
        BlifModel::Instance made{words_[1], {}, line_};
        for (std::size_t i = 2; i < words_.size(); ++i) {
            const std::size_t equal = words_[i].find('=');
            if (equal == std::string_view::npos || equal == 0 || equal + 1 == words_[i].size()) {
                fail(fmt::format("{}: a pin is written formal=actual, not {}", shown(words_[1]),
                                 shown(words_[i])));
            }
            made.pins.emplace_back(words_[i].substr(0, equal), m.net(words_[i].substr(equal + 1)));
        }
        m.instances.push_back(std::move(made));
    }

    NetlistText& text_;
    std::vector<std::string_view> words_;
    std::vector<BlifModel> models_;
    std::unordered_set<std::string_view> names_;
    std::uint32_t line_ = 0;
    bool cover_ = false;
    bool ended_ = false;
    bool in_dont_cares_ = false;
};

}  // namespace

std::vector<BlifModel> parse_blif(NetlistText& text) {
    return BlifParser(text).parse();
}

}  // namespace toroid::circuit
